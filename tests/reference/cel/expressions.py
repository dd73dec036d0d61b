"""Random expressions of the language, well typed for the most part, over random variables, documents and schemas."""
import json
import pathlib

FUNCTIONS = pathlib.Path(__file__).resolve().parents[2] / "data" / "cel" / "facts" / "functions.json"

TIME, DURATION = "google.protobuf.Timestamp", "google.protobuf.Duration"
SCALARS = ["int", "uint", "double", "bool", "string", "bytes", TIME, DURATION]
OPAQUE = ["kubernetes.Quantity", "net.IP", "net.CIDR", "kubernetes.URL", "kubernetes.NamedFormat"]
ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "-08:00", "+05:30", "Nowhere/Land", "12", "a:b", ""]
STRINGS = ["", "a", "b", "abc", "hello world", "Ünïcödé ☃", "𝄞 clef", "1", "-7", "3.5", "1e3", "true", "x-y_z.0", "A,b,,c",
           " padded\t", "line\nbreak", "quote\"s'", "back\\slash", "%s", "aaa", "ABC", "0x1F", "NaN", "+Inf", "t", "9223372036854775808"]
PATTERNS = ["a", "^a.*$", "[a-z]+", "(a|b)c?", "\\\\d+", "", "[", "a**", "\\\\bx", "(?i)ABC", "\\\\B.", "[[:alpha:]]*", "x{2,3}", "(", "\\\\pL+"]
QUANTITIES = ["1", "100m", "1Gi", "1.5k", "-3", "0", "1e3", "12E", "50Mi", "bad", "1.", "0.5Ki", "999999999999999999999", "", "100k ", "1n"]
IPS = ["10.0.0.1", "192.168.1.255", "::1", "2001:db8::1", "::ffff:1.2.3.4", "fe80::1%eth0", "127.0.0.1", "255.255.255.255",
       "1.2.3", "01.2.3.4", "2001:DB8:0:0::1", "ff02::1", "0.0.0.0", "::", "1::2::3", "g::"]
CIDRS = ["10.0.0.0/8", "192.168.1.7/24", "::/0", "2001:db8::/32", "10.0.0.0/33", "10.0.0.0", "1.2.3.4/32", "0.0.0.0/0", "::ffff:1.2.3.4/96",
         "10.1.0.0/08", "fe80::/10"]
URLS = ["https://example.com:80/a%2fb?k=v&k=w&x#frag", "http://[::1]:8080/", "https://user:pw@host/ü?q=a+b%20c", "mailto:a@b", "/path/only",
        "no scheme", "https://a b/", "", "https://host:port/", "ftp://h/%zz", "HTTPS://UPPER/Path", "//host/x", "https://h?", "https://h/a?b=c;d&=x"]
TIMES = ["2009-02-13T23:31:30Z", "2024-02-29T00:00:00.123456789+02:00", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z",
         "1969-12-31T23:59:59-08:00", "2021-02-29T00:00:00Z", "not a time", "2009-02-13T23:31:30", "2020-01-01T5:00:00Z"]
DURATIONS = ["0", "1s", "1.5h", "-90m", "100ms", "1h30m15.5s", "2562047h", "5", "1 s", "99999999h", "1us", "-1ns"]
FORMATS = ["dns1123Label", "dns1123Subdomain", "dns1035Label", "qualifiedName", "dns1123LabelPrefix", "labelValue", "uri", "uuid", "byte",
           "date", "datetime", "ipv4"]
FORMAT_TEXTS = ["my-name", "My_Name", "a.b.c", "a/b", "-x", "x-", "123e4567-e89b-12d3-a456-426614174000", "aGVsbG8=", "2020-01-01",
                "2020-01-01T00:00:00Z", "https://a/", "é"]
CLAUSES = ["%s", "%d", "%f", "%.3f", "%e", "%.12e", "%b", "%x", "%X", "%o", "%%", "%q", "%", "%.f", "%.0f", "x"]
FIELDS = ["name", "spec", "replicas", "labels", "items", "a-b", "missing", "enabled", "ratio", "in", "namespace", "when", "size"]


def quoted(text):
    out = []
    for c in text:
        if c in "\"\\":
            out.append("\\" + c)
        elif c == "\n":
            out.append("\\n")
        elif c == "\t":
            out.append("\\t")
        else:
            out.append(c)
    return '"' + "".join(out) + '"'


def split_type(text):
    """("list", ["int"]) of "list(int)"."""
    if not text.endswith(")"):
        return text, []
    name, _, rest = text[:-1].partition("(")
    parts, depth, start = [], 0, 0
    for i, c in enumerate(rest):
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            parts.append(rest[start:i].strip())
            start = i + 1
    parts.append(rest[start:].strip())
    return name, parts


def is_parameter(text):
    return len(text) == 1 and text.isupper()


def unify(pattern, wanted, bound):
    if is_parameter(pattern):
        return bound.setdefault(pattern, wanted) == wanted
    if pattern == "dyn" or wanted == "dyn":
        return pattern == wanted
    name, parts = split_type(pattern)
    wanted_name, wanted_parts = split_type(wanted)
    return name == wanted_name and len(parts) == len(wanted_parts) and all(unify(p, w, bound) for p, w in zip(parts, wanted_parts))


def substitute(pattern, bound, rng):
    if is_parameter(pattern):
        return bound.setdefault(pattern, rng.choice(SCALARS))
    name, parts = split_type(pattern)
    return name + "(" + ", ".join(substitute(p, bound, rng) for p in parts) + ")" if parts else name


INFIX = {f"_{op}_": op for op in ("+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!=", "&&", "||")} | {"@in": "in"}
SKIPPED = {"@not_strictly_false", "__not_strictly_false__", "_in_", "in", "cel.@mapInsert", "_?_:_", "_?._", "_[?_]", "_[_]", "format"}
MEMBERS = None


def load():
    functions = json.loads(FUNCTIONS.read_text())
    by_result = {}
    for name, overloads in functions.items():
        if name in SKIPPED:
            continue
        for overload in overloads:
            by_result.setdefault(split_type(overload["result"])[0], []).append((name, overload))
    return functions, by_result


class Generator:
    def __init__(self, rng, stored=False):
        self.rng = rng
        self.stored = stored
        self.functions, self.by_result = load()
        self.scope = {}  # name -> type
        self.count = 0
        # Set by schema: paths of the document with their types.
        self.paths = {}

    def variables(self):
        return {"i": "int", "u": "uint", "d": "double", "b": "bool", "s": "string", "y": "bytes", "t": TIME, "r": DURATION,
                "li": "list(int)", "ls": "list(string)", "ld": "list(dyn)", "mi": "map(string, int)", "ms": "map(string, string)",
                "md": "map(string, dyn)", "oi": "optional_type(int)", "os": "optional_type(string)", "x": "dyn", "object": "dyn"}

    def pick(self, items):
        return self.rng.choice(items)

    def chance(self, share):
        return self.rng.random() < share

    def literal(self, wanted):
        name, parts = split_type(wanted)
        if name == "int":
            return self.pick(["0", "1", "-1", "2", "7", "42", "9223372036854775807", "-9223372036854775808", "100", "3", "0x1F"])
        if name == "uint":
            return self.pick(["0u", "1u", "2u", "42u", "18446744073709551615u", "0xFFu"])
        if name == "double":
            return self.pick(["0.0", "1.5", "-2.25", "1e10", "1e308", "-0.0", ".5", "3.0", "1e-7", "123456789.125", "1e21"])
        if name == "bool":
            return self.pick(["true", "false"])
        if name == "string":
            return self.text(self.pick(STRINGS))
        if name == "bytes":
            return self.pick(['b""', 'b"abc"', "b'\\xff\\x00'", 'b"ü"', "b'\\x41'"])
        if name == "null_type":
            return "null"
        if name == TIME:
            return f"timestamp({quoted(self.pick(TIMES[:5]))})" if self.chance(.9) else f"timestamp({quoted(self.pick(TIMES))})"
        if name == DURATION:
            return f"duration({quoted(self.pick(DURATIONS[:7]))})" if self.chance(.9) else f"duration({quoted(self.pick(DURATIONS))})"
        if name == "kubernetes.Quantity":
            return f"quantity({quoted(self.pick(QUANTITIES))})"
        if name == "net.IP":
            return f"ip({quoted(self.pick(IPS))})"
        if name == "net.CIDR":
            return f"cidr({quoted(self.pick(CIDRS))})"
        if name == "kubernetes.URL":
            return f"url({quoted(self.pick(URLS))})"
        if name == "kubernetes.NamedFormat":
            return f"format.{self.pick(FORMATS[:-1])}()"
        if name == "optional_type":
            return self.pick(["optional.none()", f"optional.of({self.literal(parts[0])})", f"optional.ofNonZeroValue({self.literal(parts[0])})"])
        if name == "list":
            return "[" + ", ".join(self.literal(parts[0]) for _ in range(self.rng.randrange(4))) + "]"
        if name == "map":
            return "{" + ", ".join(f"{self.literal(parts[0])}: {self.literal(parts[1])}" for _ in range(self.rng.randrange(3))) + "}"
        if name == "type":
            return self.pick(["int", "string", "type(1)", "list", "map", "bool", "net.IP", "google.protobuf.Timestamp", "type(type)", "null_type"])
        if name == "dyn":
            return f"dyn({self.literal(self.pick(SCALARS + ['null_type', 'list(int)', 'map(string, int)']))})"
        return "null"

    def text(self, text):
        kind = self.rng.random()
        if kind < .05 and "\\" not in text and "'" not in text and "\n" not in text:
            return "r'" + text + "'"
        if kind < .1 and "'" not in text and "\\" not in text and "\n" not in text:
            return "'" + text + "'"
        return quoted(text)

    def leaf(self, wanted):
        names = [name for name, of in (self.variables() | self.scope).items() if of == wanted]
        names += [path for path, of in self.paths.items() if of == wanted]
        if wanted == "dyn" and self.chance(.5):
            return self.document()
        if names and self.chance(.7):
            return self.pick(names)
        return self.literal(wanted)

    def document(self):
        path = self.pick(["object", "object", "x", "md"])
        for _ in range(self.rng.randrange(4)):
            step = self.rng.random()
            field = self.pick(FIELDS)
            if step < .65 and field not in ("a-b", "in"):
                path += "." + field
            elif step < .75:
                path += f"[{quoted(field)}]"
            elif step < .85:
                path += f"[{self.rng.randrange(3)}]"
            elif step < .93 and field not in ("a-b", "in"):
                path += ".?" + field
            else:
                path += f"[?{quoted(field)}]"
        return path

    def expression(self, wanted, depth):
        if depth <= 0 or self.chance(.08):
            return self.leaf(wanted)
        if self.chance(.02):  # something of another type
            return self.expression(self.pick(SCALARS + ["dyn", "list(int)", "null_type"] + OPAQUE), depth - 1)
        if self.chance(.06):
            return f"({self.expression('bool', depth - 2)} ? {self.expression(wanted, depth - 1)} : {self.expression(wanted, depth - 1)})"
        if self.chance(.25) and (made := self.special(wanted, depth)):
            return made
        name, _ = split_type(wanted)
        for _ in range(4):
            candidates = self.by_result.get(name, [])
            if not candidates:
                break
            if made := self.call(*self.pick(candidates), wanted, depth):
                return made
        return self.special(wanted, depth) or self.leaf(wanted)

    def special(self, wanted, depth):
        name, parts = split_type(wanted)
        kinds = ["index", "or", "value"]
        if name == "bool":
            kinds += ["macro"] * 4 + ["has"] * 2 + ["matches", "equal", "logic"]
        if name == "list":
            kinds += ["literal"] * 2 + ["map", "filter", "filter"] + (["transformList"] if self.stored else [])
        if name == "map":
            kinds += ["mapliteral"] * 3 + (["transformMap"] if self.stored else [])
        if name == "optional_type":
            kinds += ["optMap", "optSelect", "of", "optFlatMap"]
        if name == "string":
            kinds += ["format"] * 2 + ["string"]
        if name == "dyn":
            kinds += ["dyn"]
        return getattr(self, "make_" + self.pick(kinds))(wanted, parts, depth - 1)

    def make_index(self, wanted, parts, depth):
        if self.chance(.6):
            return f"{self.expression(f'list({wanted})', depth)}[{self.pick(['0', '1', '2', '-1', self.expression('int', depth - 1)])}]"
        return f"{self.expression(f'map(string, {wanted})', depth)}[{self.expression('string', depth - 1)}]"

    def make_or(self, wanted, parts, depth):
        return f"{self.expression(f'optional_type({wanted})', depth)}.orValue({self.expression(wanted, depth - 1)})"

    def make_value(self, wanted, parts, depth):
        return f"{self.expression(f'optional_type({wanted})', depth)}.value()"

    def make_matches(self, wanted, parts, depth):
        pattern = '"' + self.pick(PATTERNS) + '"' if self.chance(.8) else self.expression("string", depth - 1)
        return f"{self.expression('string', depth)}.matches({pattern})"

    def make_equal(self, wanted, parts, depth):
        of = self.pick(SCALARS + ["list(int)", "map(string, int)", "dyn", "optional_type(int)", "type"] + OPAQUE)
        return f"({self.expression(of, depth)} {self.pick(['==', '!='])} {self.expression(of, depth)})"

    def make_logic(self, wanted, parts, depth):
        operator = self.pick([" && ", " || "])
        return "(" + operator.join(self.expression("bool", depth) for _ in range(self.rng.randrange(2, 5))) + ")"

    def make_has(self, wanted, parts, depth):
        path = self.document()
        return f"has({path if '.' in path and not path.endswith(']') else 'object.' + self.pick(FIELDS[:4])})"

    def make_dyn(self, wanted, parts, depth):
        return f"dyn({self.expression(self.pick(SCALARS + ['list(int)', 'map(string, int)', 'null_type']), depth)})"

    def make_of(self, wanted, parts, depth):
        return f"optional.{self.pick(['of', 'ofNonZeroValue'])}({self.expression(parts[0], depth)})"

    def make_optSelect(self, wanted, parts, depth):
        if self.chance(.5):
            return f"{self.expression(f'list({parts[0]})', depth)}[?{self.expression('int', depth - 1)}]"
        base = self.expression(f"map(string, {parts[0]})", depth)
        return f"{base}.?{self.pick(FIELDS[:5])}" if self.chance(.5) else f"{base}[?{self.expression('string', depth - 1)}]"

    def make_string(self, wanted, parts, depth):
        return f"string({self.expression(self.pick(SCALARS), depth)})"

    def make_format(self, wanted, parts, depth):
        clauses = [self.pick(CLAUSES) for _ in range(self.rng.randrange(1, 4))]
        arguments = []
        for clause in clauses:
            if not clause.startswith("%") or clause == "%%":
                continue
            fitting = {"d": ["int", "uint"], "f": ["double"], "e": ["double"], "b": ["int", "bool"], "x": ["int", "string", "bytes"],
                       "X": ["uint", "string"], "o": ["int"]}.get(clause[-1], SCALARS + ["list(int)", "map(string, int)", "dyn", "type", "null_type"])
            arguments.append(self.expression(self.pick(fitting if self.chance(.93) else SCALARS), depth - 1))
        if self.chance(.04):
            arguments = arguments[1:]
        return f"{quoted(' '.join(clauses))}.format([{', '.join(arguments)}])"

    def make_literal(self, wanted, parts, depth):
        items = [("?" + self.expression(f"optional_type({parts[0]})", depth) if self.chance(.05) else self.expression(parts[0], depth))
                 for _ in range(self.rng.randrange(4))]
        return "[" + ", ".join(items) + "]"

    def make_mapliteral(self, wanted, parts, depth):
        entries = []
        for _ in range(self.rng.randrange(3)):
            if self.chance(.05):
                entries.append(f"?{self.expression(parts[0], depth - 1)}: {self.expression(f'optional_type({parts[1]})', depth)}")
            else:
                entries.append(f"{self.expression(parts[0], depth - 1)}: {self.expression(parts[1], depth)}")
        return "{" + ", ".join(entries) + "}"

    def variable(self):
        self.count += 1
        return self.pick(["v", "w", "e", "k"]) + (str(self.count % 7) if self.chance(.8) else "")

    def within(self, types, wanted, depth):
        """An expression in which the names of `types` are known."""
        before = dict(self.scope)
        self.scope.update(types)
        made = self.expression(wanted, depth)
        self.scope = before
        return made

    def range_of(self, depth):
        if self.chance(.7):
            item = self.pick(["int", "string", "double", "dyn"])
            return self.expression(f"list({item})", depth), item
        if self.chance(.2):
            return self.document(), "dyn"
        return self.expression(self.pick(["map(string, int)", "map(string, string)"]), depth), "string"

    def make_macro(self, wanted, parts, depth):
        over, item = self.range_of(depth)
        name = self.variable()
        macro = self.pick(["all", "exists", "exists_one"])
        if self.stored and self.chance(.3):
            key = self.variable()
            body = self.within({name: "int", key: item}, "bool", depth)
            return f"{over}.{self.pick([macro, 'existsOne'])}({name}, {key}, {body})"
        return f"{over}.{macro}({name}, {self.within({name: item}, 'bool', depth)})"

    def make_map(self, wanted, parts, depth):
        over, item = self.range_of(depth)
        name = self.variable()
        body = self.within({name: item}, parts[0], depth)
        condition = self.within({name: item}, "bool", depth - 1) + ", " if self.chance(.2) else ""
        return f"{over}.map({name}, {condition}{body})"

    def make_filter(self, wanted, parts, depth):
        name = self.variable()
        return f"{self.expression(wanted, depth)}.filter({name}, {self.within({name: parts[0]}, 'bool', depth)})"

    def make_transformList(self, wanted, parts, depth):
        over, item = self.range_of(depth)
        key, name = self.variable(), self.variable()
        return f"{over}.transformList({key}, {name}, {self.within({key: 'int', name: item}, parts[0], depth)})"

    def make_transformMap(self, wanted, parts, depth):
        key, name = self.variable(), self.variable()
        over = self.expression(f"map({parts[0]}, int)", depth)
        return f"{over}.transformMap({key}, {name}, {self.within({key: parts[0], name: 'int'}, parts[1], depth)})"

    def make_optMap(self, wanted, parts, depth):
        name = self.variable()
        over = self.expression("optional_type(int)", depth)
        return f"{over}.optMap({name}, {self.within({name: 'int'}, parts[0], depth)})"

    def make_optFlatMap(self, wanted, parts, depth):
        name = self.variable()
        over = self.expression("optional_type(string)", depth)
        return f"{over}.optFlatMap({name}, {self.within({name: 'string'}, wanted, depth)})"

    # What an argument of a function should look like so that the function has something to do.
    HINTS = {"quantity": QUANTITIES, "isQuantity": QUANTITIES, "ip": IPS, "isIP": IPS, "ip.isCanonical": IPS, "cidr": CIDRS, "isCIDR": CIDRS,
             "containsIP": IPS, "containsCIDR": CIDRS, "url": URLS, "isURL": URLS, "timestamp": TIMES, "duration": DURATIONS,
             "format.named": FORMATS, "validate": FORMAT_TEXTS}

    def call(self, name, overload, wanted, depth):
        bound = {}
        if not unify(overload["result"], wanted, bound):
            return None
        arguments = [substitute(argument, bound, self.rng) for argument in overload["args"]]
        made = []
        for i, argument in enumerate(arguments):
            if argument == "string" and name in self.HINTS and i == len(arguments) - 1 and self.chance(.8):
                made.append(quoted(self.pick(self.HINTS[name])))
            elif argument == "string" and i == 1 and name in ("matches", "find", "findAll") and self.chance(.8):
                made.append('"' + self.pick(PATTERNS) + '"')
            elif argument == "string" and i == 1 and overload["id"].endswith("tz") and self.chance(.8):
                made.append(quoted(self.pick(ZONES)))
            elif argument.startswith("kubernetes.authorization"):
                return None
            else:
                made.append(self.expression(argument, depth - 1))
        if name in INFIX:
            return f"({made[0]} {INFIX[name]} {made[1]})"
        if name in ("!_", "-_"):
            return name[0] + made[0]
        if self.is_member(name, overload):
            return f"{made[0]}.{name}({', '.join(made[1:])})"
        return f"{name}({', '.join(made)})"

    GLOBAL_IDS = {"size_bytes", "size_list", "size_map", "size_string", "matches"}
    GLOBALS = {"bool", "bytes", "cidr", "double", "duration", "dyn", "int", "ip", "ip.isCanonical", "isCIDR", "isIP", "isQuantity", "isURL",
               "quantity", "string", "timestamp", "type", "uint", "url", "strings.quote"}

    def is_member(self, name, overload):
        if overload["id"] == "cidr_ip":
            return True
        return not (name in self.GLOBALS or overload["id"] in self.GLOBAL_IDS or name.startswith(("optional.", "sets.", "format.")))

    # ---- values ----

    def form(self, wanted, depth=2):
        name, parts = split_type(wanted)
        rng = self.rng
        if name == "int":
            return {"int": str(self.pick([0, 1, -1, 2, 7, 2**63 - 1, -2**63, rng.randrange(-1000, 1000)]))}
        if name == "uint":
            return {"uint": str(self.pick([0, 1, 2**64 - 1, rng.randrange(1000)]))}
        if name == "double":
            return {"double": self.pick([0.0, 1.5, -2.0, 1e300, "NaN", "Infinity", rng.uniform(-100, 100)])}
        if name == "bool":
            return {"bool": rng.random() < .5}
        if name == "string":
            return {"string": self.pick(STRINGS + IPS[:3] + QUANTITIES[:3])}
        if name == "bytes":
            return {"bytes_b64": self.pick(["", "YWJj", "/wA=", "w7w="])}
        if name in (TIME, "timestamp"):
            return {"timestamp": self.pick(TIMES[:5])}
        if name in (DURATION, "duration"):
            return {"duration": self.pick(DURATIONS[:7])}
        if name == "list":
            return {"list": [self.form(parts[0], depth - 1) for _ in range(rng.randrange(4))]}
        if name == "map":
            keys = rng.sample(FIELDS[:6] + ["a", ""], rng.randrange(3))
            return {"map": [[{"string": key}, self.form(parts[1], depth - 1)] for key in keys]}
        if name == "optional_type":
            return {"optional": None if rng.random() < .3 else self.form(parts[0], depth - 1)}
        if name == "dyn" and depth > 0:
            return self.form(self.pick(SCALARS + ["list(dyn)", "map(string, dyn)", "null_type"]), depth - 1)
        return {"null": None}

    def plain(self, depth=3):
        rng = self.rng
        if depth == 0 or rng.random() < .3:
            return self.pick([None, True, False, 0, 1, -5, 2**40, 1.5, 1e30, "", "abc", "10.0.0.1", "1Gi", "2020-01-01T00:00:00Z", rng.randrange(100)])
        if rng.random() < .3:
            return [self.plain(depth - 1) for _ in range(rng.randrange(4))]
        return {key: self.plain(depth - 1) for key in rng.sample(FIELDS, rng.randrange(1, 6))}

    def request(self):
        self.scope = {}
        wanted = self.pick(SCALARS + ["bool"] * 8 + ["string"] * 3 + ["list(int)", "list(string)", "map(string, int)", "optional_type(int)",
                                                                      "optional_type(string)", "dyn", "type"] + OPAQUE)
        expr = self.expression(wanted, self.rng.randrange(1, 6))
        used = {name: of for name, of in self.variables().items() if name not in ("object",)}
        short = {TIME: "timestamp", DURATION: "duration"}
        request = {"expr": expr, "stored": self.stored, "type_env": [{"name": n, "type": short.get(t, t)} for n, t in used.items()] +
                   [{"name": "object", "type": "dyn"}],
                   "bindings": {name: self.form(of) for name, of in used.items() if name in expr},
                   "vars": {"object": {key: self.plain() for key in self.rng.sample(FIELDS, 6)}}}
        return request
