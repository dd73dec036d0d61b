#!/usr/bin/env python3
"""A scripted HTTPS endpoint for admission and conversion webhooks, for conversations and tests.

  hook.py --port 9443 --dir DIR      writes DIR/ca.pem (self-signed, IP 127.0.0.1 and localhost) and serves until ended

  PUT  /script/NAME   body {"allowed": false, "status": {"code": 418, "message": "no", "reason": "R"}, "patch": [JSON patch],
                      "patch_type": "JSONPatch", "warnings": [..], "audit": {..}, "delay": seconds, "uid": "another uid",
                      "http_status": 500, "raw": "text instead of a review", "redirect": "URL", "api_version": "admission.k8s.io/v1",
                      "kind": "AdmissionReview", "omit_response": true,
                      "convert": {"DESIRED apiVersion": [JSON patch]}, "result": {"status": "Failed", "message": "m"}}
  POST /call/NAME     answers an AdmissionReview or a ConversionReview as NAME is scripted (unscripted: allowed, unchanged)
  GET  /log/NAME      {"reviews": [...]}: the reviews that NAME received, with their query parameters; DELETE empties it

The review's volatile parts (uid, times, managedFields, resourceVersion) stay in the log as they came.
"""
import argparse, base64, copy, json, os, ssl, subprocess, threading, time, urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

scripts, logs, lock = {}, {}, threading.Lock()


def pointer(doc, path):
    parts = [p.replace("~1", "/").replace("~0", "~") for p in path.split("/")[1:]]
    for p in parts[:-1]:
        doc = doc[int(p)] if isinstance(doc, list) else doc[p]
    return doc, parts[-1]


def patch(doc, ops):
    doc = copy.deepcopy(doc)
    for op in ops:
        if op["op"] == "move":
            parent, key = pointer(doc, op["from"])
            value = parent.pop(int(key) if isinstance(parent, list) else key)
        else:
            value = op.get("value")
        parent, key = pointer(doc, op["path"])
        if op["op"] == "remove":
            parent.pop(int(key) if isinstance(parent, list) else key, None)
        elif isinstance(parent, list):
            parent.insert(len(parent) if key == "-" else int(key), value)
        else:
            parent[key] = value
    return doc


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *a):
        pass

    def answer(self, status, body, headers=()):
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        for k, v in headers:
            self.send_header(k, v)
        self.end_headers()
        self.wfile.write(raw)

    def handle_any(self):
        u = urllib.parse.urlsplit(self.path)
        _, verb, name = (u.path.split("/", 2) + ["", ""])[:3]
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if verb == "script" and self.command == "PUT":
            with lock:
                scripts[name] = json.loads(raw)
            return self.answer(200, {})
        if verb == "log":
            with lock:
                seen = logs.pop(name, []) if self.command == "DELETE" else list(logs.get(name, []))
            return self.answer(200, {"reviews": seen})
        if verb != "call":
            return self.answer(404, {"message": "no such path"})
        review = json.loads(raw)
        with lock:
            logs.setdefault(name, []).append({"query": dict(urllib.parse.parse_qsl(u.query)), "review": review})
            s = scripts.get(name, {})
        time.sleep(s.get("delay", 0))
        if "redirect" in s:
            return self.answer(302, {}, [("Location", s["redirect"])])
        if "raw" in s:
            return self.answer(s.get("http_status", 200), s["raw"].encode())
        if "http_status" in s:
            return self.answer(s["http_status"], {})
        request = review["request"]
        response = {"uid": s.get("uid", request["uid"])}
        if review["kind"] == "ConversionReview":
            ops = s.get("convert", {}).get(request["desiredAPIVersion"], [])
            done = [patch(o, ops) for o in request["objects"]]
            for o in done:
                o["apiVersion"] = request["desiredAPIVersion"]
            response |= {"result": s.get("result", {"status": "Success"}), "convertedObjects": done}
        else:
            response["allowed"] = s.get("allowed", True)
            for ours, theirs in (("status", "status"), ("warnings", "warnings"), ("audit", "auditAnnotations")):
                if ours in s:
                    response[theirs] = s[ours]
            if "patch" in s:
                response |= {"patchType": s.get("patch_type", "JSONPatch"),
                             "patch": base64.b64encode(json.dumps(s["patch"]).encode()).decode()}
        out = {"apiVersion": s.get("api_version", review["apiVersion"]), "kind": s.get("kind", review["kind"])}
        if not s.get("omit_response"):
            out["response"] = response
        self.answer(200, out)

    do_GET = do_POST = do_PUT = do_DELETE = handle_any


class Server(ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        pass  # a server that gives up waiting closes its connection


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--port", type=int, required=True)
    ap.add_argument("--dir", required=True)
    a = ap.parse_args()
    os.makedirs(a.dir, exist_ok=True)
    cert, key = os.path.join(a.dir, "ca.pem"), os.path.join(a.dir, "key.pem")
    if not os.path.exists(cert):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out", cert, "-days", "3650",
                        "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"],
                       check=True, stderr=subprocess.DEVNULL)
    server = Server(("127.0.0.1", a.port), Handler)
    ctx = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    ctx.load_cert_chain(cert, key)
    server.socket = ctx.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.serve_forever()


if __name__ == "__main__":
    main()
