"""Random structural schemas with documents that fit them, and expressions over both."""
from expressions import DURATION, FIELDS, Generator, TIME

TYPES = {"string": "string", "integer": "int", "number": "double", "boolean": "bool"}


def escaped(name):
    if name in ("in", "namespace", "true", "false", "null"):
        return f"__{name}__" if name != "namespace" else "__namespace__"
    return name.replace("__", "__underscores__").replace("-", "__dash__").replace(".", "__dot__").replace("/", "__slash__")


class SchemaGenerator(Generator):
    def variables(self):
        return {}

    def schema(self, depth=3):
        rng = self.rng
        kind = rng.random()
        if depth > 0 and kind < .3:
            names = rng.sample(FIELDS, rng.randrange(1, 5))
            made = {"type": "object", "properties": {name: self.schema(depth - 1) for name in names}}
            if self.chance(.3):
                made["required"] = [names[0]]
            return made
        if depth > 0 and kind < .4:
            made = {"type": "object", "additionalProperties": self.schema(depth - 1)}
            if self.chance(.5):
                made["maxProperties"] = rng.randrange(1, 50)
            return made
        if depth > 0 and kind < .6:
            return self.array(depth)
        if kind < .65:
            return {"x-kubernetes-int-or-string": True}
        if kind < .7:
            return {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
        made = {"type": self.pick(list(TYPES))}
        if made["type"] == "string":
            if self.chance(.4):
                made["format"] = self.pick(["date-time", "duration", "date", "byte", "uuid", "password"])
            if self.chance(.4):
                made["maxLength"] = rng.randrange(1, 200)
            if self.chance(.15) and "format" not in made:
                made["enum"] = ["abc", "b"]
        if self.chance(.15):
            made["nullable"] = True
        return made

    def array(self, depth):
        made = {"type": "array", "items": self.schema(depth - 1)}
        kind = self.rng.random()
        if kind < .2:
            made["items"] = {"type": self.pick(["string", "integer"])}
            made["x-kubernetes-list-type"] = "set"
        elif kind < .4:
            made["items"] = {"type": "object", "properties": {"name": {"type": "string"}, "size": {"type": "integer"}}, "required": ["name"]}
            made["x-kubernetes-list-type"] = "map"
            made["x-kubernetes-list-map-keys"] = ["name"]
        elif kind < .5:
            made["x-kubernetes-list-type"] = "atomic"
        if self.chance(.5):
            made["maxItems"] = self.rng.randrange(1, 30)
        return made

    def type_of(self, schema):
        if schema.get("x-kubernetes-int-or-string"):
            return "dyn"
        kind = schema["type"]
        if kind == "array":
            return f"list({self.type_of(schema['items'])})"
        if kind == "object":
            if isinstance(schema.get("additionalProperties"), dict):
                return f"map(string, {self.type_of(schema['additionalProperties'])})"
            return "object"
        if kind == "string":
            return {"date-time": TIME, "date": TIME, "duration": DURATION, "byte": "bytes"}.get(schema.get("format"), "string")
        return TYPES[kind]

    def collect(self, path, schema, depth=4):
        self.paths[path] = self.type_of(schema)
        for name, below in schema.get("properties", {}).items():
            if depth > 0:
                self.collect(path + "." + escaped(name), below, depth - 1)

    def value(self, schema, depth=4):
        rng = self.rng
        if schema.get("nullable") and self.chance(.3):
            return None
        if schema.get("x-kubernetes-int-or-string"):
            return self.pick([1, 80, "http", "50%"])
        kind = schema["type"]
        if kind == "array":
            made = [self.value(schema["items"], depth - 1) for _ in range(rng.randrange(4))]
            if schema.get("x-kubernetes-list-type") == "set":
                made = list(dict.fromkeys(v for v in made if isinstance(v, (str, int))))
            if schema.get("x-kubernetes-list-type") == "map":
                made = list({v["name"]: v for v in made if isinstance(v, dict) and isinstance(v.get("name"), str)}.values())
            return made
        if kind == "object":
            if isinstance(schema.get("additionalProperties"), dict):
                return {key: self.value(schema["additionalProperties"], depth - 1) for key in rng.sample(FIELDS, rng.randrange(3))}
            if "properties" in schema:
                return {name: self.value(below, depth - 1) for name, below in schema["properties"].items()
                        if name in schema.get("required", []) or self.chance(.7)}
            return self.plain(2) if self.chance(.5) else {"name": "x"}
        if kind == "string":
            if "enum" in schema:
                return self.pick(schema["enum"])
            return self.pick({"date-time": ["2020-01-01T00:00:00Z", "2024-02-29T12:00:00.5+02:00"], "date": ["2020-01-01"],
                              "duration": ["1h", "1.5s", "3 days"], "byte": ["YWJj", "aGVsbG8="]}.get(schema.get("format"), ["", "abc", "ü", "1Gi", "x-y"]))
        if kind == "integer":
            return self.pick([0, 1, -7, 2**53, 100])
        if kind == "number":
            return self.pick([0.5, 1, -2.25, 1e10])
        return self.chance(.5)

    def fresh_schema(self):
        """A schema that the next requests are about."""
        names = self.rng.sample(FIELDS, self.rng.randrange(3, 7))
        self.current = {"type": "object", "properties": {name: self.schema() for name in names}}
        self.paths = {}
        self.collect("self", self.current)
        self.paths |= {path.replace("self", "oldSelf", 1): of for path, of in self.paths.items() if self.chance(.3)}

    def document(self):
        return self.pick(list(self.paths))

    def make_has(self, wanted, parts, depth):
        fields = [path for path in self.paths if "." in path]
        return f"has({self.pick(fields)})"

    def leaf(self, wanted):
        names = [name for name, of in (self.scope | self.paths).items() if of == wanted]
        if names and self.chance(.85):
            return self.pick(names)
        return self.literal(wanted)

    def make_equal(self, wanted, parts, depth):
        if self.chance(.5):
            path = self.pick(list(self.paths))
            other = self.pick([p for p, of in self.paths.items() if of == self.paths[path]])
            return f"({path} {self.pick(['==', '!='])} {other})"
        return super().make_equal(wanted, parts, depth)

    def request(self):
        self.scope = {}
        wanted = self.pick(["bool"] * 8 + ["string", "int"] + list(self.paths.values()))
        if wanted == "object":
            wanted = "bool"
        expr = self.expression(wanted, self.rng.randrange(1, 5))
        return {"expr": expr, "stored": self.stored, "schema": self.current,
                "vars": {"self": self.value(self.current), "oldSelf": self.value(self.current)}}
