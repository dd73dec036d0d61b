"""Classes of holes that API servers have had, each with what a client of such a hole would do: a function a class, whose name docs/security.md
gives beside the class. A function is given a server made ready by sweep.py (`alice` may do everything with config maps of the namespace sweep, and
nothing else) and yields what is wrong.
"""
import contextlib
import json
import re
import socket
import threading

import building
import measure
import sweep

MAPS = "/api/v1/namespaces/sweep/configmaps"
HANDSHAKE = "Connection: Upgrade\r\nUpgrade: %s\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"


def spoken(target, text, protocol="http/1.1"):
    """(statuses of the answers, all bytes) for these bytes."""
    with measure.connect(target.port, protocol) as connection:
        raw, _, _ = measure.exchange(connection, text.encode("utf-8", "surrogateescape"), pause=1.0)
    return [int(s) for s in re.findall(rb"HTTP/1\.1 (\d+)", raw)], raw


def request(method, path, token="", more="", body=None):
    head = f"{method} {path} HTTP/1.1\r\nHost: x\r\n" + (f"Authorization: Bearer {token}\r\n" if token else "") + more
    if body is not None:
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return head + "\r\n" + (body or "")


def an_upgrade_gives_no_rights(target):
    """A connection that was to be upgraded (exec, attach, port-forward, proxy, watch) and was not is a stranger's again with its next request."""
    for protocol in ("SPDY/3.1", "websocket", "h2c"):
        for path in ("pods/small/exec?command=a", "pods/small/attach", "pods/small/portforward", "pods/nobody/exec?command=a", "services/a/proxy/", "pods/small/proxy/"):
            first = request("GET", "/api/v1/namespaces/sweep/" + path, "bob-token", HANDSHAKE % protocol)
            statuses, raw = spoken(target, first + request("GET", MAPS + "/small"))
            if any(s in (101, 200) for s in statuses) or b'"a":"b"' in raw:
                yield f"{path} by {protocol}: {statuses}"


def nothing_is_asked_of_addresses_that_objects_name(target):
    """No request goes where a service, its endpoints, a pod, a node or an API service point, nor where an answer from there would send it."""
    with socket.socket() as trap:
        trap.bind(("127.0.0.1", 0))
        trap.listen()
        port = trap.getsockname()[1]
        came = []

        def wait():
            with contextlib.suppress(OSError):
                connection, _ = trap.accept()
                came.append(connection.recv(100))

        thread = threading.Thread(target=wait, daemon=True)
        thread.start()
        target.ask("POST", "/api/v1/namespaces/sweep/services", json.dumps({"metadata": {"name": "trap"}, "spec": {"ports": [{"port": port}]}}))
        target.ask("POST", "/api/v1/namespaces/sweep/endpoints", json.dumps({"metadata": {"name": "trap"}, "subsets": [{"addresses": [{"ip": "127.0.0.1"}], "ports": [{"port": port}]}]}))
        for path in ("services/trap/proxy/", f"services/http:trap:{port}/proxy/", f"services/https:trap:{port}/proxy/a?b=c", "pods/small/log", "pods/small/proxy/", f"pods/http:127.0.0.1:{port}/proxy/"):
            target.ask("GET", "/api/v1/namespaces/sweep/" + path)
        target.ask("GET", f"/api/v1/nodes/127.0.0.1:{port}/proxy/")
        if came:
            yield f"a request came to the trap: {came[0]!r}"
        trap.shutdown(socket.SHUT_RDWR)
    for kind in ("services", "endpoints"):
        target.ask("DELETE", f"/api/v1/namespaces/sweep/{kind}/trap")


def a_scope_is_a_resources_own(target):
    """What is not in a namespace is not found below one, nor the other way round, with whatever rights in that namespace."""
    for path in ("/api/v1/namespaces/sweep/nodes", "/api/v1/namespaces/sweep/persistentvolumes", "/apis/rbac.authorization.k8s.io/v1/namespaces/sweep/clusterroles",
                 "/apis/apiextensions.k8s.io/v1/namespaces/sweep/customresourcedefinitions", "/api/v1/namespaces/sweep/namespaces/sweep"):
        for method, body in (("GET", None), ("POST", "{}"), ("DELETE", None)):
            status, text = target.ask(method, path, body)
            if status not in (404, 405):
                yield f"{method} {path}: {status} {text[:200]}"
    status, text = target.ask("POST", "/api/v1/configmaps", json.dumps({"metadata": {"name": "a", "namespace": "sweep"}}))
    if status not in (404, 405):
        yield f"POST /api/v1/configmaps: {status} {text[:200]}"


def custom_resources_keep_to_their_scope_and_group(target):
    """An object of a definition is found below its own scope, group, version and plural only, and its group's rights give none to a group whose name begins alike."""
    kinds = (("gates", "scope.example.com", "Cluster"), ("gates", "scope.example.com.evil.io", "Namespaced"), ("gatesx", "scope.example.com", "Namespaced"))
    for plural, group, scope in kinds:
        status, text = target.ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", json.dumps({"metadata": {"name": f"{plural}.{group}"}, "spec": {
            "group": group, "scope": scope, "names": {"plural": plural, "kind": plural.capitalize()}, "versions": [{"name": "v1", "served": True, "storage": True, "subresources": {"status": {}},
            "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]}}))
        if status != 201:
            yield f"{plural}.{group}: {status} {text[:200]}"
        where = "" if scope == "Cluster" else "namespaces/sweep/"
        status, text = target.ask("POST", f"/apis/{group}/v1/{where}{plural}", json.dumps({"apiVersion": group + "/v1", "kind": plural.capitalize(), "metadata": {"name": "a"}, "secret": f"hidden-{group}-{plural}"}))
        if status != 201:
            yield f"an object of {plural}.{group}: {status} {text[:200]}"
    rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/sweep/"
    target.ask("POST", rbac + "roles", json.dumps({"metadata": {"name": "gates"}, "rules": [{"apiGroups": ["scope.example.com"], "resources": ["gates", "gates/status"], "verbs": ["*"]}]}))
    target.ask("POST", rbac + "rolebindings", json.dumps({"metadata": {"name": "gates"}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "gates"},
                                                          "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "alice"}]}))
    base, evil = "/apis/scope.example.com/v1/", "/apis/scope.example.com.evil.io/v1/"
    for path in ("gates/a", "gates", "gates/a/status", "namespaces/sweep/gates/a", "namespaces/sweep/gates", "namespaces/sweep/gates/a/status", "watch/gates", "namespaces/sweep/gatesx/a", "namespaces/sweep/gatesx",
                 "namespaces/sweep/gates/../gatesx/a", "namespaces/sweep/gates%2f..%2fgatesx/a", "namespaces/sweep/gates/a/gatesx", "gates/namespaces/sweep/a"):
        for root in (base, evil, "/apis/scope.example.com.evil.io/v1/../../scope.example.com/v1/", "/apis//scope.example.com/v1/"):
            for method, body in (("GET", None), ("PUT", "{}"), ("DELETE", None)):
                statuses, raw = spoken(target, request(method, root + path, "alice-token", "Connection: close\r\n", body))
                if b"hidden-" in raw or any(s in (200, 201) for s in statuses):
                    yield f"alice: {method} {root}{path}: {statuses}"
    for path in (base + "namespaces/sweep/gates/a", base + "namespaces/sweep/gates", evil + "gates/a"):
        status, text = target.ask("GET", path)
        if status == 200 and "hidden-" in text:
            yield f"GET {path} has an object of another scope: {text[:200]}"
    for plural, group, _ in kinds:
        target.ask("DELETE", f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{plural}.{group}")


def no_spelling_of_a_path_has_other_rights(target):
    """A path that is spelt oddly is refused, not found, sent to its plain form, or read as what was authorized."""
    secrets = "/api/v1/namespaces/sweep/secrets"
    status, text = target.ask("POST", secrets, json.dumps({"metadata": {"name": "hidden"}, "stringData": {"a": "very-hidden"}}))
    if status != 201:
        yield f"the secret: {status} {text[:200]}"
    hidden = secrets + "/hidden"
    for path in (hidden, "/" + hidden, hidden + "/", MAPS + "/../secrets/hidden", MAPS + "/small/../../secrets/hidden", MAPS + "/%2e%2e/secrets/hidden", MAPS + "%2f..%2fsecrets%2fhidden",
                 "/api/v1/namespaces/sweep/configmaps%2F..%2Fsecrets/hidden", "/api/v1/namespaces/sweep/./secrets/hidden", "/api/v1/namespaces/sweep//secrets/hidden", "/api/v1//namespaces/sweep/secrets/hidden",
                 "/api//v1/namespaces/sweep/secrets/hidden", "/apis//v1/namespaces/sweep/secrets/hidden", "/api/v1/namespaces/sweep/SECRETS/hidden", "/api/v1/namespaces/sweep/secrets;/hidden",
                 "/api/v1/watch/namespaces/sweep/secrets/hidden", "/api/v1/namespaces/sweep/secrets?fieldSelector=metadata.name=hidden", "/api/v1/secrets", "/api/v1/namespaces/default/../sweep/secrets/hidden",
                 "https://x" + hidden, hidden + "#x", hidden + "%00", "/healthz/../" + hidden, "/healthz/%2e%2e" + hidden, "/openapi/v3/../.." + hidden):
        for token in ("alice-token", ""):
            _, raw = spoken(target, request("GET", path, token, "Connection: close\r\n"))
            if b"very-hidden" in raw or building.b64("very-hidden").encode() in raw:
                yield f"{token or 'nobody'}: {path} shows it"
    target.ask("DELETE", hidden)


def who_asks_is_not_what_the_request_says(target):
    """Fields of proxies, of impersonation without the right to it, tokens in queries and doubled fields make nobody somebody else."""
    for more in ("Impersonate-User: admin\r\n", "Impersonate-Group: system:masters\r\n", "Impersonate-Uid: admin-uid\r\n", "Impersonate-User: system:serviceaccount:kube-system:a\r\n", "Impersonate-Extra-a: b\r\n",
                 "X-Remote-User: admin\r\nX-Remote-Group: system:masters\r\n", "impersonate-user: bob\r\n", "Impersonate_User: admin\r\nX-Remote-User: admin\r\n", "X-Forwarded-User: admin\r\n",
                 "Authorization: Bearer admin-token\r\n", "authorization: Basic YWRtaW46YWRtaW4=\r\n"):
        for token in ("alice-token", ""):
            if not token and "Bearer admin-token" in more:
                continue
            statuses, raw = spoken(target, request("GET", "/api/v1/namespaces/sweep/secrets", token, more + "Connection: close\r\n"))
            if 200 in statuses:
                yield f"{token or 'nobody'} with {more!r}: {statuses}"
    for query in ("access_token=admin-token", "token=admin-token", "as=admin", "user=admin&group=system:masters"):
        statuses, _ = spoken(target, request("GET", "/api/v1/namespaces/sweep/secrets?" + query, more="Connection: close\r\n"))
        if 200 in statuses:
            yield f"?{query}: {statuses}"


def a_request_has_one_length(target):
    """Requests whose end two readers would see in different places are refused, and nothing behind them is read as a request."""
    behind = request("GET", MAPS + "/small", "alice-token")
    for name, more in (("two lengths", "Content-Length: 0\r\nContent-Length: 5\r\n"), ("a length and chunks", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), ("a blank before a colon", "Content-Length : 5\r\n"),
                       ("an odd coding", "Transfer-Encoding: xchunked\r\n"), ("codings in the wrong order", "Transfer-Encoding: chunked, identity\r\n"), ("a signed length", "Content-Length: +5\r\n"), ("a length in hex", "Content-Length: 0x5\r\n"),
                       ("a negative length", "Content-Length: -1\r\n"), ("a length beyond 64 bits", "Content-Length: 18446744073709551621\r\n"), ("a bare carriage return", "X: a\rContent-Length: 5\r\n"),
                       ("a null byte", "X: a\0b\r\n"), ("a lone line feed in a name", "X\n: a\r\n")):
        statuses, raw = spoken(target, "POST /healthz HTTP/1.1\r\nHost: x\r\n" + more + "\r\n" + behind)
        if len(statuses) > 1 and b'"a":"b"' in raw and name not in ("a length and chunks",):
            yield f"{name}: {statuses}"
        if name == "a length and chunks" and 200 in statuses:
            yield f"{name}: {statuses}"


def logs_hold_no_secret(target):
    """At the highest verbosity nothing of tokens, of secrets or of signed requests stands in the log."""
    marks = {"header": "log-mark-header", "query": "log-mark-query", "secret": "log-mark-secret", "review": "log-mark-review", "cookie": "log-mark-cookie"}
    spoken(target, request("GET", MAPS, marks["header"], "Connection: close\r\n"))
    spoken(target, request("GET", MAPS + "?access_token=" + marks["query"], more="Connection: close\r\n"))
    spoken(target, request("GET", MAPS, "alice-token", f"Cookie: a={marks['cookie']}\r\nProxy-Authorization: Basic {marks['cookie']}\r\nConnection: close\r\n"))
    target.ask("POST", "/api/v1/namespaces/sweep/secrets?dryRun=All", json.dumps({"metadata": {"name": "s"}, "stringData": {"a": marks["secret"]}}))
    target.ask("POST", "/api/v1/namespaces/sweep/secrets?dryRun=All", json.dumps({"metadata": {"name": "s"}, "stringData": {"/": marks["secret"]}}))
    target.ask("PATCH", "/api/v1/namespaces/sweep/secrets/none", json.dumps({"stringData": {"a": marks["secret"]}}), building.MERGE)
    target.ask("POST", "/apis/authentication.k8s.io/v1/tokenreviews", json.dumps({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": marks["review"]}}))
    status, text = target.ask("POST", "/api/v1/namespaces/sweep/serviceaccounts/robot/token", json.dumps({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"audiences": []}}))
    if status == 201:
        marks["issued"] = json.loads(text)["status"]["token"].split(".")[2][:60]
        spoken(target, request("GET", MAPS, json.loads(text)["status"]["token"], "Connection: close\r\n"))
    log = target.server.log_path.read_text(errors="replace")
    for name, mark in (*marks.items(), *((t, t) for t in ("admin-token", "alice-token", "bob-token"))):
        if mark in log:
            yield f"{name}: {next(l for l in log.splitlines() if mark in l)[:300]}"


def metrics_name_nothing_that_clients_invent(target):
    """Words that anybody may send do not become series of metrics."""
    before = target.ask("GET", "/metrics")[1]
    for i in range(40):
        spoken(target, request("GET", f"/apis/invented{i}.example/v1/namespaces/x/invented{i}", more="Connection: close\r\n"))
        spoken(target, request(f"INVENTED{i}", f"/api/v1/namespaces/sweep/invented{i}", more="Connection: close\r\n"))
    after = target.ask("GET", "/metrics")[1]
    if "invented" in after.lower():
        yield "a line: " + next(l for l in after.splitlines() if "invented" in l.lower())[:300]
    if after.count("\n") > before.count("\n") + 300:
        yield f"{after.count(chr(10)) - before.count(chr(10))} lines more"


def rights_are_not_made_of_rights_to_write_roles(target):
    """Who may write roles and bindings gives nobody what he does not have: by create, update, patch, apply, or an aggregated role's labels."""
    bob = "bob-token"
    roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/sweep/"
    body = lambda rules: json.dumps({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "more-rights"}, "rules": rules})
    for rules in ([{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}], [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["get"]}], [{"apiGroups": [""], "resources": ["serviceaccounts/token"], "verbs": ["*"]}],
                  [{"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles"], "verbs": ["escalate"]}], [{"apiGroups": [""], "resources": ["users"], "verbs": ["impersonate"]}]):
        for method, path, media in (("POST", roles + "roles", "application/json"), ("PUT", roles + "roles/own", "application/json"), ("PATCH", roles + "roles/own", building.MERGE),
                                    ("PATCH", roles + "roles/more-rights?fieldManager=a", building.APPLY)):
            text = body(rules).replace("more-rights", "own") if "/own" in path else body(rules)
            statuses, raw = spoken(target, f"{method} {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {bob}\r\nContent-Type: {media}\r\nConnection: close\r\nContent-Length: {len(text)}\r\n\r\n{text}")
            if statuses != [403]:
                yield f"{method} {path} {rules}: {statuses} {raw[-300:]!r}"
    binding = json.dumps({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "more-rights"}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
                          "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "bob"}]})
    statuses, _ = spoken(target, request("POST", roles + "rolebindings", bob, "Connection: close\r\n", binding))
    if statuses != [403]:
        yield f"a binding to cluster-admin: {statuses}"


CHECKS = (an_upgrade_gives_no_rights, nothing_is_asked_of_addresses_that_objects_name, a_scope_is_a_resources_own, custom_resources_keep_to_their_scope_and_group, no_spelling_of_a_path_has_other_rights, who_asks_is_not_what_the_request_says,
          a_request_has_one_length, logs_hold_no_secret, metrics_name_nothing_that_clients_invent, rights_are_not_made_of_rights_to_write_roles)


def play(options):
    """(passed, failed); prints what failed."""
    passed = failed = 0
    chosen = [check for check in CHECKS if not options.only or re.search(options.only, "classes: " + check.__name__)]
    if not chosen:
        return 0, 0
    target = sweep.Target(options.program, ("--v", "10"))
    target.begin()
    try:
        for check in chosen:
            try:
                problems = list(check(target))
            except (OSError, ValueError) as error:
                problems = [f"{type(error).__name__}: {error}"]
            if not target.alive():
                problems.append(f"the server ended:\n{target.server.log_tail()}")
            passed, failed = passed + (not problems), failed + bool(problems)
            if problems:
                print("FAIL", check.__name__, "\n" + "\n".join("  " + p for p in problems[:12]), flush=True)
            if not target.alive():
                break
    finally:
        trouble = target.end()
    if trouble:
        failed += 1
        print("FAIL", trouble)
    return passed, failed
