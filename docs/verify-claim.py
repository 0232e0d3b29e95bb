#!/usr/bin/env python3
"""Verifies the bundle of a claim offline, with the published formats alone (docs/claims.md).

    python3 verify-claim.py bundle.json <verifier key of the log, or a file with it> [older-checkpoint.txt]

Needs the package `cryptography`. Exit code 0: everything holds; 1: something does not; 2: a file cannot be read, or the
call is wrong; 3: the payload was erased, and everything else holds. Co-signatures have lines of their own, and decide
nothing. docs/claims.md lists what it leaves to `npm run verify`.
"""
import base64, hashlib, json, os, re, sys
from decimal import Decimal
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

P, OF_ORDER_EIGHT = 2**255 - 19, 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7
SMALL_ORDER = {0, 1, P - 1, OF_ORDER_EIGHT, P - OF_ORDER_EIGHT}  # y of the points for which anybody can sign
TEXTS, OBJECTS = ("claim_id", "digest", "cose_receipt", "checkpoint", "tlog_proof"), ("envelope", "receipt", "latest", "revocation")
ROLES, UNSIGNED = ("operator_attestation", "agent_self", "witness"), "which ones a claim has, and in which roles, is the word of the service"
BROKEN = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)

def must(holds, message):
    if not holds: raise ValueError(message)

step = ["the bundle"]  # what is checked, for the words of whatever is wrong with it
def check(what): step[0] = what
def sha(*parts): return hashlib.sha256(b"".join(parts)).digest()
def node(left, right): return sha(b"\1", left, right)
def only(text, data, again): must(again == text, "base64 or hex is not in the one spelling of its bytes"); return data
def plain(text): data = base64.b64decode(text); return only(text, data, base64.b64encode(data).decode())
def url(text): data = base64.urlsafe_b64decode(text + "=="); return only(text, data, base64.urlsafe_b64encode(data).decode().rstrip("="))
def unhex(text): data = bytes.fromhex(text); return only(text, data, data.hex())
def a_hash(data): must(type(data) is bytes and len(data) == 32, "a hash has not 32 bytes"); return data
def hashes(texts, decode=unhex): must(type(texts) is list, "a proof is no list of hashes"); return [a_hash(decode(one)) for one in texts]

def signed_by(key, signature, message):
    must(int.from_bytes(key, "little") % 2**255 % P not in SMALL_ORDER, "its key is of small order")
    Ed25519PublicKey.from_public_bytes(key).verify(signature, message)

def number(value):  # as ECMAScript writes a double (RFC 8785, 3.2.2.3)
    if 1e-6 <= abs(value) < 1e21 or value == 0: return format(Decimal(repr(value)).normalize() + 0, "f")
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    mantissa = str(digits[0]) + "." * (len(digits) > 1) + "".join(map(str, digits[1:]))
    return "-" * sign + mantissa + "e%+d" % (len(digits) + exponent - 1)

def read_number(text):  # from 2^53 on many whole numbers are one double, and would have the same hash
    value = float(text)  # also of NaN and Infinity, which Python reads and JSON has not
    must(abs(value) < 2**53 or "e" in text and abs(value) < float("inf") and number(value) == text, "the number %s is past 2^53" % text)
    return value

def canonical(value):  # JCS, RFC 8785
    if isinstance(value, float): return number(value)
    if isinstance(value, list): return "[" + ",".join(map(canonical, value)) + "]"
    if not isinstance(value, dict): return json.dumps(value, ensure_ascii=False)
    names = sorted(value, key=lambda name: name.encode("utf-16-be"))
    return "{" + ",".join(canonical(name) + ":" + canonical(value[name]) for name in names) + "}"

def depth(value): return 1 + max(map(depth, value.values() if isinstance(value, dict) else value), default=0) if isinstance(value, (dict, list)) else 0

def once(pairs):
    must(len({name for name, _ in pairs}) == len(pairs), "a member stands twice in one object")
    return dict(pairs)

def root_of(leaf, index, size, path):  # RFC 9162, 2.1.3: the root that the path leads to
    must(0 <= index < size, "the log has no such entry")
    if size == 1: must(not path, "the inclusion proof is too long"); return leaf
    must(path, "the inclusion proof is too short")
    half = 1 << (size - 1).bit_length() - 1
    if index < half: return node(root_of(leaf, index, half, path[:-1]), path[-1])
    return node(path[-1], root_of(leaf, index - half, size - half, path[:-1]))

def roots_of(older, newer, path, whole):  # RFC 9162, 2.1.4: the roots of both trees; `whole` is the older root, where it is a node of the newer tree
    if older == newer:
        must(len(path) == (whole is None), "the consistency proof has another length")
        return (whole or path[0],) * 2
    must(path, "the consistency proof is too short")
    half = 1 << (newer - 1).bit_length() - 1
    if older <= half:
        left, left_now = roots_of(older, half, path[:-1], whole)
        return left, node(left_now, path[-1])
    right, right_now = roots_of(older - half, newer - half, path[:-1], None)
    return node(path[-1], right), node(path[-1], right_now)

def cbor(data, at=0, level=1):  # one item of RFC 8949 (docs/claims.md, "The profile of co-signatures"), and where it ends
    must(level <= 16, "the CBOR has more than 16 levels")
    major, low, at = data[at] >> 5, data[at] & 31, at + 1
    if major == 7: must(20 <= low <= 22, "the CBOR holds a value that is not used here"); return (False, True, None)[low - 20], at
    must(low < 28, "the CBOR has an indefinite length")
    width = 1 << low - 24 if low > 23 else 0
    must(at + width <= len(data), "the CBOR ends too early")
    value, at = (int.from_bytes(data[at:at + width], "big") if width else low), at + width
    must(value >= (0, 24, 1 << 8, 0, 1 << 16, 0, 0, 0, 1 << 32)[width], "the CBOR spells an integer longer than needed")
    if major < 2: return (value, -1 - value)[major], at
    if major < 4:
        must(at + value <= len(data), "the CBOR ends too early")
        return (data[at:at + value] if major == 2 else data[at:at + value].decode()), at + value
    items = []
    for _ in range(1 if major == 6 else value * (major - 3)):
        item, at = cbor(data, at, level + 1)
        items.append(item)
    if major == 6: return (value, items[0]), at  # a tag
    if major == 4: return items, at
    must({type(name) for name in items[::2]} <= {int, str}, "the CBOR has a key that is neither integer nor text")
    members = dict(zip(items[::2], items[1::2]))
    must(len(members) == value, "the CBOR has a key twice")
    return members, at

def whole_cbor(data, kind, most=2048):  # an inclusion proof in a tree of 2^53 has less than 2 KiB
    must(len(data) <= most, "the CBOR is longer than it can be")
    value, end = cbor(data)
    must(end == len(data) and type(value) is kind, "there are bytes behind the CBOR, or it is of another kind")
    return value

def proof_of(data):
    size, index, path = whole_cbor(data, list)
    must(type(size) is type(index) is int, "a proof is not [tree_size, leaf_index, [hashes]]")
    return size, index, hashes(path, lambda one: one)

def byte_string(data):  # its CBOR, RFC 8949
    width = next(width for width in (0, 1, 2, 4) if len(data) < (24, 1 << 8, 1 << 16, 0, 1 << 32)[width])
    return (bytes([0x40 + len(data)]) if width == 0 else bytes([0x57 + width.bit_length()]) + len(data).to_bytes(width, "big")) + data

def sign1(data, payload, key, kid, named=True):  # COSE_Sign1, RFC 9052, tagged or not, with a detached payload; returns both headers
    must(len(data) <= 8192, "it has more than 8192 bytes")
    protected, unprotected, attached, signature = whole_cbor(data[data[:1] == b"\xd2":], list, 8192)
    must(type(protected) is type(signature) is bytes and type(unprotected) is dict and attached is None, "its payload is attached, or it is no COSE_Sign1")
    header = whole_cbor(protected, dict, 8192) if protected else {}
    must(header.keys().isdisjoint(unprotected), "it has a parameter in both headers")
    must(type(header.get(1)) is int and header[1] in (-8, -19) and 2 not in header and unprotected.keys().isdisjoint({1, 2}), "its header is not one of Ed25519")
    kids = [head[4] for head in (header, unprotected) if 4 in head]
    must(kids == [kid.encode()] or not (named or kids), "it names another key")
    signed_by(key, signature, b"\x84\x6aSignature1" + byte_string(protected) + b"\x40" + byte_string(payload))
    return header, unprotected

def checkpoint(note, name, key_id, key):  # C2SP tlog-checkpoint; returns size and root
    end = note.rindex("\n\n") + 1
    body, (*lines, last) = note[:end], note[end + 1:].split("\n")
    must(last == "" and not re.search("[\0-\t\v-\x1f\x7f-\x9f]", note) and len(lines) <= 64, "a checkpoint is no signed note")
    must(all(re.fullmatch(r"— [^\s+\ufeff]+ \S+", line) for line in lines), "a line of a checkpoint is no signature")
    signatures = [(line.split(" ")[1], plain(line.split(" ")[2])) for line in lines]
    ours = [signature[4:] for signer, signature in signatures if signer == name and signature[:4] == key_id]
    must(ours and all(len(signature) > 4 for _, signature in signatures), "a checkpoint is not signed by the key that you trust")
    for signature in ours: signed_by(key, signature, body.encode())
    origin, size, root, *more = body[:-1].split("\n")
    must(origin == name and re.fullmatch("0|[1-9][0-9]{0,15}", size) and "" not in more, "a checkpoint is of another log, or none")
    must(int(size) < 2**53, "a tree is larger than it can be")
    return int(size), a_hash(plain(root))

def trusted(given):  # as it was given, or the first line of a file
    return verifier_key((open(given, encoding="utf-8").readline() if os.path.exists(given) else given).strip())

def verifier_key(text):  # C2SP signed-note
    must(re.fullmatch(r"[^\s\x00-\x1f\x7f-\x9f+\ufeff]+\+[0-9a-f]{8}\+\S+", text), "it is not `<name>+<8 hex digits>+<base64>`")
    name, key_id, key = text.split("+", 2)
    key_id, key = unhex(key_id), plain(key)
    must(key[0] == 1 and len(key) == 33 and sha(name.encode(), b"\n", key)[:4] == key_id, "its id is another one, or it is not one of Ed25519")
    return name, key_id, key[1:]

def bundle_in(file):
    hooks = {"parse_" + kind: read_number for kind in ("int", "float", "constant")}
    bundle = json.load(open(file, encoding="utf-8"), **hooks, object_pairs_hook=once)
    must(isinstance(bundle, dict), "it is no bundle")
    must(depth(bundle) <= 200, "it is nested more than 200 deep")  # deeper than any claim
    must("bundle_version" in bundle or "digest" not in bundle, "it is a claim; fetch /v1/claims/%s/bundle" % bundle.get("id"))
    must(canonical(bundle.get("bundle_version")) == "1", "it is no bundle of version 1")
    for name, kind in [(name, str) for name in TEXTS] + [(name, dict) for name in OBJECTS] + [("co_signatures", list)]:
        must(isinstance(bundle.get(name), kind), "%s is missing, or of another type" % name)
    canonical(bundle).encode()  # fails at half of a surrogate pair
    return bundle

def note_in(file):
    note = open(file, encoding="utf-8", newline="").read().rstrip("\n") + "\n"
    must("\n\n" in note, "it is no checkpoint")
    return note

def verify(bundle, key, older=None):
    receipt, latest, log = bundle["receipt"], bundle["latest"], bundle["log"]
    check("the log key"); jwk = (log["jwk"]["kty"], log["jwk"]["crv"], url(log["jwk"]["x"]))
    named = log["origin"] == key[0] and verifier_key(log["vkey"]) == key and jwk == ("OKP", "Ed25519", key[2])
    must(named, "the bundle names another key than the one that you trust")
    envelope = {name: value for name, value in bundle["envelope"].items() if name not in ("receipt", "co_signatures")}
    signed = canonical(envelope).encode()
    erased = bundle.get("erased", False)  # then only the COSE receipt says which digest the entry has
    check("the digest"); must(type(erased) is bool, "erased is neither true nor false")
    must(erased or bundle["digest"] == "sha256:" + sha(signed).hex(), "the digest is not that of the envelope")
    leaf = a_hash(unhex(bundle["leaf_hash"])) if erased else sha(b"\0", signed)
    check("the checkpoint of the receipt"); then = checkpoint(bundle["checkpoint"], *key)
    check("the newest checkpoint"); now = checkpoint(latest["checkpoint"], *key)
    check("the receipt")
    proof, uri = receipt["proof"], receipt["registry"].removesuffix("/") + "/v1/claims/" + bundle["claim_id"]
    must(receipt["registry_entry_uri"] == uri, "it is of %s, and claim_id and registry make %s" % (receipt["registry_entry_uri"], uri))
    size, index, path = proof_of(url(proof["bytes"]))
    said = [receipt["witnesses"], proof["format"], proof["tree_size"], proof["log_index"]]
    must(canonical(said) == canonical([None, "svc-merkle-v1", float(size), float(index)]) and size == then[0], "the receipt contradicts itself")
    must(unhex(proof["root_hash"]) == then[1] == root_of(leaf, index, size, path), "the claim is not in the tree of its receipt")
    check("the COSE receipt")
    header, proofs = sign1(url(bundle["cose_receipt"]), then[1], key[2], log["jwk"]["kid"])
    must(header[395] == 1 and [proof_of(one) for one in proofs[396][-1]] == [(size, index, path)], "the COSE receipt has another proof")
    about_this = {1: receipt["registry"], 2: bundle["digest"]}  # iss and sub (RFC 9943)
    must(header[15] == about_this, "the COSE receipt is of another registry, or about another digest")
    check("the newest tree")
    must(root_of(leaf, index, now[0], hashes(latest["inclusion"])) == now[1], "the claim is not in the newest tree")
    must(0 < then[0] <= now[0], "the newest tree is smaller than that of the receipt, or empty")
    roots = roots_of(then[0], now[0], hashes(latest["consistency"]), then[1])
    must(roots == (then[1], now[1]), "the trees are not consistent")
    check("the tlog-proof")
    head, note = bundle["tlog_proof"].split("\n\n", 1)
    first, *lines = head.split("\n")
    lines = lines[lines[0].startswith("extra "):]
    there = checkpoint(note, *key)
    texts = [one[:one.rindex("\n\n")] for one in (note, bundle["checkpoint"], latest["checkpoint"])]
    must(texts[0] in texts[1:], "the tlog-proof is in another tree than the bundle's two")
    must(first == "c2sp.org/tlog-proof@v1" and lines[0] == "index %d" % index, "the tlog-proof is about another entry")
    must(root_of(leaf, index, there[0], hashes(lines[1:], plain)) == there[1], "the tlog-proof does not hold")
    if older is not None:
        check("the older checkpoint"); kept = checkpoint(older, *key)
        must(kept[0] in (0, then[0], now[0]), "the older checkpoint has another size: use npm run verify with --consistency")
        must(kept[0] == 0 or kept in (then, now), "the log has forked since the older checkpoint")
    check("revocation"); must(isinstance(bundle["revocation"]["reason"], (str, type(None))), "the reason is no text")
    must(bundle["revocation"]["revoked_at"] is None, "the claim was revoked at %s" % bundle["revocation"]["revoked_at"])
    return erased, "%s %s is entry %d of %d in %s" % (bundle["claim_id"], bundle["digest"], index, size, key[0])

def co_signature(one, signed, erased):  # what holds of it; it fails where it shows nothing
    kid, role, message = one["signer_kid"], one["signer_role"], one["cose_sign1"]
    must(type(kid) is type(message) is str and role in ROLES and type(one["verified"]) is bool, "a member is of another type")
    who = "%s %s" % (role, kid)
    if erased: return "- %s: what was signed was erased" % who
    if one["jwk"] is None:
        must(not one["verified"], "it is called verified and has no key")
        return "- %s: its key is not known" % who
    must((one["jwk"]["kty"], one["jwk"]["crv"]) == ("OKP", "Ed25519"), "its key is not one of Ed25519")
    thumbprint = sha(('{"crv":"Ed25519","kty":"OKP","x":"%s"}' % one["jwk"]["x"]).encode())  # RFC 7638
    must(url(kid) == thumbprint, "its key is another one than it names")
    message = (plain if set(message) & set("+/=") else url)(message)  # base64url, or plain base64 where its signer wrote that
    sign1(message, signed, url(one["jwk"]["x"]), kid, named=False)
    return "ok %s" % who

def co_signatures(bundle):  # a line each, for a claim that is verified; none of them decides about it
    named = lambda one: canonical([one.get("signer_kid"), one.get("cose_sign1")]) if isinstance(one, dict) else ""
    envelope, kept = bundle["envelope"], bundle["co_signatures"]
    signed = canonical({name: value for name, value in envelope.items() if name not in ("receipt", "co_signatures")}).encode()
    for one in kept:
        try: yield co_signature(one, signed, bundle.get("erased", False))
        except InvalidSignature: yield "void: the signature is not of its key over these bytes"
        except BROKEN as error: yield "void: %s" % error
    sent = envelope.get("co_signatures", [])
    if type(sent) is not list or not {named(one) for one in sent} <= {named(one) for one in kept}: yield "void: the bundle leaves out one that the envelope has"
    else: yield "%s %d: %s" % ("ok" if kept else "-", len(kept), UNSIGNED)

def show(text, file=sys.stdout): print(ascii(text)[1:-1], file=file)  # what strangers wrote is printed as plain letters alone
def end(code, text):
    show(text, sys.stderr if code in (1, 2) else sys.stdout)
    sys.exit(code)

if __name__ == "__main__":
    if len(sys.argv) not in (3, 4): sys.exit(print(__doc__, file=sys.stderr) or 2)
    given = []
    for read, text in zip((bundle_in, trusted, note_in), sys.argv[1:]):
        try: given.append(read(text))
        except (OSError, *BROKEN) as error: end(2, "%s cannot be read: %s" % (text, error))
    try: erased, found = verify(*given)
    except InvalidSignature: end(1, "NOT VERIFIED %s: a signature is not of its key over these bytes" % step[0])
    except ValueError as error: end(1, "NOT VERIFIED %s: %s" % (step[0], error))
    except BROKEN as error: end(1, "NOT VERIFIED %s: it cannot be read (%s %s)" % (step[0], type(error).__name__, error))
    for line in co_signatures(given[0]): show("co-signatures: " + line)
    end(*(3, "ERASED " + found) if erased else (0, "VERIFIED " + found))
