#!/usr/bin/env python3
"""Verifies the bundle of a claim offline, with the published formats alone (docs/claims.md).

    python3 verify-claim.py bundle.json <verifier key of the log, or a file with it> [older-checkpoint.txt]

Needs the package `cryptography`. Exit code 0: everything holds; 1: something does not; 2: a file cannot be read, or the
call is wrong; 3: the payload was erased, and everything else holds. docs/claims.md lists what it leaves to `npm run verify`.
"""
import base64, hashlib, json, os, sys
from decimal import Decimal
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

TEXTS, OBJECTS = ("claim_id", "digest", "cose_receipt", "checkpoint", "tlog_proof"), ("envelope", "receipt", "latest", "revocation")
BROKEN = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)

def must(holds, message):
    if not holds: raise ValueError(message)

step = ["the bundle"]  # what is checked, for the words of whatever is wrong with it
def check(what): step[0] = what
def sha(*parts): return hashlib.sha256(b"".join(parts)).digest()
def node(left, right): return sha(b"\1", left, right)
def plain(text): return base64.b64decode(text, validate=True)
def url(text): return base64.urlsafe_b64decode(text.replace("+", "-").replace("/", "_").rstrip("=") + "=" * (-len(text.rstrip("=")) % 4))
def signed_by(key, signature, message): Ed25519PublicKey.from_public_bytes(key).verify(signature, message)

def number(value):  # as ECMAScript writes a double (RFC 8785, 3.2.2.3)
    if 1e-6 <= abs(value) < 1e21 or value == 0: return format(Decimal(repr(value)).normalize() + 0, "f")
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    mantissa = str(digits[0]) + "." * (len(digits) > 1) + "".join(map(str, digits[1:]))
    return "-" * sign + mantissa + "e%+d" % (len(digits) + exponent - 1)

def canonical(value):  # JCS, RFC 8785
    if isinstance(value, float): return number(value)
    if isinstance(value, list): return "[" + ",".join(map(canonical, value)) + "]"
    if not isinstance(value, dict): return json.dumps(value, ensure_ascii=False)
    names = sorted(value, key=lambda name: name.encode("utf-16-be"))
    return "{" + ",".join(canonical(name) + ":" + canonical(value[name]) for name in names) + "}"

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

def cbor(data, at=0):  # one item of RFC 8949 and where it ends
    major, low, at = data[at] >> 5, data[at] & 31, at + 1
    if major == 7: return {20: False, 21: True, 22: None}[low], at
    width = {24: 1, 25: 2, 26: 4, 27: 8}.get(low, 0)
    value, at = (int.from_bytes(data[at:at + width], "big") if width else low), at + width
    must(low < 28, "the CBOR has an indefinite length")
    if major < 2: return (value, -1 - value)[major], at
    if major < 4: must(at + value <= len(data), "the CBOR ends too early"); return data[at:at + value], at + value
    if major == 6: return cbor(data, at)
    items = []
    for _ in range(value * (major - 3)):
        item, at = cbor(data, at)
        items.append(item)
    return (items if major == 4 else dict(zip(items[::2], items[1::2]))), at

def whole_cbor(data):
    value, end = cbor(data)
    must(end == len(data), "there are bytes behind the CBOR")
    return value

def byte_string(data):  # its CBOR, RFC 8949
    width = next(width for width in (0, 1, 2, 4) if len(data) < (24, 1 << 8, 1 << 16, 0, 1 << 32)[width])
    return (bytes([0x40 + len(data)]) if width == 0 else bytes([0x57 + width.bit_length()]) + len(data).to_bytes(width, "big")) + data

def sign1(data, payload, key):  # COSE_Sign1, RFC 9052, with a detached payload; returns both headers
    protected, unprotected, attached, signature = whole_cbor(data)
    header = whole_cbor(protected)
    must(header.get(1) in (-8, -19) and 2 not in header and attached is None, "the COSE header is not one of Ed25519")
    signed_by(key, signature, b"\x84\x6aSignature1" + byte_string(protected) + b"\x40" + byte_string(payload))
    return header, unprotected

def checkpoint(note, name, key_id, key):  # C2SP tlog-checkpoint; returns size and root
    body, lines = note[:note.rindex("\n\n") + 1], note[note.rindex("\n\n") + 2:].splitlines()
    ours = [plain(line.split(" ")[2]) for line in lines if line.startswith("— " + name + " ")]
    ours = [signature[4:] for signature in ours if signature[:4] == key_id]
    must(ours, "the checkpoint is not signed by the key that you trust")
    for signature in ours: signed_by(key, signature, body.encode())
    origin, size, root = body.split("\n")[:3]
    must(origin == name, "the checkpoint is of another log")
    return int(size), plain(root)

def trusted(given):
    text = open(given, encoding="utf-8").readline() if os.path.exists(given) else given
    name, key_id, key = text.strip().split("+", 2)
    key_id, key = bytes.fromhex(key_id), plain(key)
    must(key[0] == 1 and len(key) == 33 and sha(name.encode(), b"\n", key)[:4] == key_id, "its id is another one, or it is not one of Ed25519")
    return name, key_id, key[1:]

def bundle_in(file):
    bundle = json.load(open(file, encoding="utf-8"), parse_int=float, object_pairs_hook=once)
    must(isinstance(bundle, dict), "it is no bundle")
    must("bundle_version" in bundle or "digest" not in bundle, "it is a claim; fetch /v1/claims/%s/bundle" % bundle.get("id"))
    must(bundle.get("bundle_version") == 1, "it is no bundle of version 1")
    for name, kind in [(name, str) for name in TEXTS] + [(name, dict) for name in OBJECTS] + [("co_signatures", list)]:
        must(isinstance(bundle.get(name), kind), "%s is missing, or of another type" % name)
    return bundle

def note_in(file):
    note = open(file, encoding="utf-8").read().rstrip("\n") + "\n"
    must("\n\n" in note, "it is no checkpoint")
    return note

def verify(bundle, key, older=None):
    receipt, latest = bundle["receipt"], bundle["latest"]
    envelope = {name: value for name, value in bundle["envelope"].items() if name not in ("receipt", "co_signatures")}
    signed = canonical(envelope).encode()
    erased = bundle.get("erased", False)  # then only the COSE receipt says which digest the entry has
    check("the digest")
    must(erased or bundle["digest"] == "sha256:" + sha(signed).hex(), "the digest is not that of the envelope")
    leaf = bytes.fromhex(bundle["leaf_hash"]) if erased else sha(b"\0", signed)
    check("the checkpoint of the receipt"); then = checkpoint(bundle["checkpoint"], *key)
    check("the newest checkpoint"); now = checkpoint(latest["checkpoint"], *key)
    check("the receipt")
    proof, uri = receipt["proof"], receipt["registry"].removesuffix("/") + "/v1/claims/" + bundle["claim_id"]
    must(receipt["registry_entry_uri"] == uri, "it is of %s, and claim_id and registry make %s" % (receipt["registry_entry_uri"], uri))
    size, index, path = whole_cbor(url(proof["bytes"]))
    must([size, index] == [proof["tree_size"], proof["log_index"]] and size == then[0], "the receipt contradicts itself")
    must(bytes.fromhex(proof["root_hash"]) == then[1] == root_of(leaf, index, size, path), "the claim is not in the tree of its receipt")
    check("the COSE receipt")
    header, proofs = sign1(url(bundle["cose_receipt"]), then[1], key[2])
    must(header[395] == 1 and [whole_cbor(one) for one in proofs[396][-1]] == [[size, index, path]], "the COSE receipt has another proof")
    about_this = {1: receipt["registry"].encode(), 2: bundle["digest"].encode()}  # iss and sub (RFC 9943)
    must(header[15] == about_this, "the COSE receipt is of another registry, or about another digest")
    check("the newest tree")
    must(root_of(leaf, index, now[0], [bytes.fromhex(one) for one in latest["inclusion"]]) == now[1], "the claim is not in the newest tree")
    must(0 < then[0] <= now[0], "the newest tree is smaller than that of the receipt, or empty")
    roots = roots_of(then[0], now[0], [bytes.fromhex(one) for one in latest["consistency"]], then[1])
    must(roots == (then[1], now[1]), "the trees are not consistent")
    check("the tlog-proof")
    head, note = bundle["tlog_proof"].split("\n\n", 1)
    first, *lines = head.split("\n")
    lines = lines[lines[0].startswith("extra "):]
    there = checkpoint(note, *key)
    must(there in (then, now), "the tlog-proof is in another tree than the bundle's two")
    must(first == "c2sp.org/tlog-proof@v1" and lines[0] == "index %d" % index, "the tlog-proof is about another entry")
    must(root_of(leaf, index, there[0], [plain(one) for one in lines[1:]]) == there[1], "the tlog-proof does not hold")
    for at, one in enumerate(bundle["co_signatures"]):
        check("co-signature %d" % at)
        if one["jwk"] is None or erased: continue
        thumbprint = sha(('{"crv":"Ed25519","kty":"OKP","x":"%s"}' % one["jwk"]["x"]).encode())  # RFC 7638
        must(url(one["signer_kid"]) == thumbprint, "its key is another one than it names")
        sign1(url(one["cose_sign1"]), signed, url(one["jwk"]["x"]))
    if older:
        check("the older checkpoint"); kept = checkpoint(older, *key)
        must(kept[0] in (then[0], now[0]), "the older checkpoint has another size: use npm run verify with --consistency")
        must(kept in (then, now), "the log has forked since the older checkpoint")
    check("revocation"); must(bundle["revocation"]["revoked_at"] is None, "the claim was revoked at %s" % bundle["revocation"]["revoked_at"])
    return erased, "%s %s is entry %d of %d in %s" % (bundle["claim_id"], bundle["digest"], index, size, key[0])

if __name__ == "__main__":
    if len(sys.argv) not in (3, 4): sys.exit(print(__doc__, file=sys.stderr) or 2)
    given = []
    for read, text in zip((bundle_in, trusted, note_in), sys.argv[1:]):
        try: given.append(read(text))
        except (OSError, *BROKEN) as error: sys.exit(print("%s cannot be read: %s" % (text, error), file=sys.stderr) or 2)
    try: erased, found = verify(*given)
    except InvalidSignature: sys.exit("NOT VERIFIED %s: a signature is not of its key over these bytes" % step[0])
    except ValueError as error: sys.exit("NOT VERIFIED %s: %s" % (step[0], error))
    except BROKEN as error: sys.exit("NOT VERIFIED %s: it cannot be read (%s %s)" % (step[0], type(error).__name__, error))
    print("ERASED" if erased else "VERIFIED", found)
    sys.exit(3 if erased else 0)
