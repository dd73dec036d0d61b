"""Names for what a server chooses by itself (versions, uids, addresses, ports, times of the run): the same text from two servers then means the same.

A View belongs to one server and one object; names count from the first appearance, so that whether a resourceVersion moved can be compared.
"""
import re
import time

# Also where a message quotes or prints them.
RULES = (
    ("rv", re.compile(r'(resourceVersion[\\":\s]{1,12}|ResourceVersion in (?:the precondition|record) \(|ResourceVersion in (?:precondition|object meta): )(\d+)')),
    ("uid", re.compile(r"()\b([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b")),
    ("address", re.compile(r"()\b(10\.0\.0\.\d+)\b")),
    ("port", re.compile(r'((?:nodePort|healthCheckNodePort)[\\":\s]{1,8})(\d+)')),
)
PLACE = re.compile(r'"?<(rv|uid|address|port)(\d+)>"?')
KNOWN = {"00000000-0000-0000-0000-000000000000", "10.0.0.1"}


class View:
    def __init__(self):
        self.names = {kind: {} for kind, _ in RULES}
        months = {time.strftime("%Y-%m-", time.gmtime(time.time() + days * 86400)) for days in (-1, 0, 1)}
        self.times = re.compile(rf'(?:{"|".join(months)})\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z')

    def named(self, text):
        """`text` with names; times of the run by their order in this one text."""
        for kind, pattern in RULES:
            names = self.names[kind]

            def name(found):
                before, value = found.groups()
                if value in KNOWN:
                    return before + value
                number = names.setdefault(value, len(names))
                return before + (f'"<port{number}>"' if kind == "port" else f"<{kind}{number}>")

            text = pattern.sub(name, text)
        order = {t: f"<time{n}>" for n, t in enumerate(sorted(set(self.times.findall(text))))}
        return self.times.sub(lambda found: order[found.group()], text) if order else text

    def filled(self, text):
        """The other way: this server's values, the last one where it has not had so many."""
        def value(found):
            kind, number = found.group(1), int(found.group(2))
            values = list(self.names[kind])
            known = values[number] if number < len(values) else values[-1] if values else "1"
            return known if kind == "port" else found.group().replace(f"<{kind}{number}>", known)

        return PLACE.sub(value, text)
