#!/usr/bin/env python3
"""Compile data/api/docs.json, the texts about types and fields, into a constant of deflated JSON (run by CMake).

  make_texts.py IN.json OUT.cc    -> schema::texts_table (src/schema/texts.cc)
"""
import json
import sys
import zlib


def main():
    texts = json.load(open(sys.argv[1], encoding="utf-8"))
    plain = json.dumps(texts, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()
    packed = zlib.compress(plain, 9)
    with open(sys.argv[2], "w", encoding="ascii") as out:
        out.write("// Made by tools/make_texts.py.\n#include <cstddef>\nnamespace schema::texts_table {\n")
        out.write(f"extern const size_t kPlainSize;\nextern const size_t kPackedSize;\nextern const unsigned char kPacked[];\n")
        out.write(f"const size_t kPlainSize = {len(plain)};\nconst size_t kPackedSize = {len(packed)};\n")
        out.write("const unsigned char kPacked[] = {\n")
        for at in range(0, len(packed), 40):
            out.write(",".join(str(b) for b in packed[at:at + 40]) + ",\n")
        out.write("};\n}  // namespace schema::texts_table\n")


main()
