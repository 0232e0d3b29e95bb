#!/bin/sh
# Creates the namespace and registers its search attributes; running it again changes nothing.
# Reads TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE, which the temporal command takes from the environment.
set -eu

# The frontend opens its port before it can answer, since it still acquires shards.
tries=0
until temporal operator cluster health >/dev/null 2>&1; do
  tries=$((tries + 1))
  [ "$tries" -lt 60 ] || { echo "Temporal at $TEMPORAL_ADDRESS does not answer after a minute; look at its log" >&2; exit 1; }
  sleep 1
done

# Closed runs are kept 30 days (720 h), as long as on the local server.
temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1 ||
  temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention 720h

# A frontend sees a new namespace only after its cache is renewed, which takes some seconds.
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
