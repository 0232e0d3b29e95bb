#!/bin/sh
# Makes the namespace and registers what its runs can be searched by; running it again changes nothing.
# Reads TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE, which the temporal command takes from the environment.
set -eu

# An open port is not yet a frontend that answers: shards are still being acquired.
tries=0
until temporal operator cluster health >/dev/null 2>&1; do
  tries=$((tries + 1))
  [ "$tries" -lt 60 ] || { echo "Temporal at $TEMPORAL_ADDRESS does not answer after a minute; look at its log" >&2; exit 1; }
  sleep 1
done

# Closed runs are kept 30 days (720 h), as long as on the local server.
temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1 ||
  temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention 720h

# A frontend learns of a new namespace from a cache that it renews every few seconds.
until registered=$(temporal operator search-attribute list --namespace "$TEMPORAL_NAMESPACE" 2>/dev/null); do
  tries=$((tries + 1))
  [ "$tries" -lt 120 ] || { echo "the namespace $TEMPORAL_NAMESPACE does not become usable; look at Temporal's log" >&2; exit 1; }
  sleep 1
done

register() {
  printf '%s\n' "$registered" | grep -qw "$1" || temporal operator search-attribute create --namespace "$TEMPORAL_NAMESPACE" --name "$1" --type "$2"
}
register OperatorId KeywordList
register AgentId Keyword
register SkillId Keyword
register LifeStatus Keyword
