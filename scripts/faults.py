#!/usr/bin/env python3
"""Plays the faults of docs/monitoring.md: a private Postgres, two gateways, haproxy, a collector of traces and traffic,
all as processes of this machine. Prints for each scene what the log, the metrics and the traces say.

    scripts/faults.py target/release/postern

Needs haproxy, and Postgres' programs in /usr/lib/postgresql or on the PATH. Root runs Postgres as `postgres`.
"""

import collections
import glob
import http.client
import http.server
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

POSTERN = os.path.abspath(sys.argv[1])
KEY = "a-key-of-at-least-32-characters-0123456789"
OTHER_KEY = "another-key-of-32-characters-or-more-012345"
SECRET = "an-admin-secret-for-an-hour"

SCHEMA = """
CREATE TABLE teams (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE tasks (id int PRIMARY KEY, team_id int NOT NULL REFERENCES teams, title text NOT NULL, done boolean NOT NULL DEFAULT false);
INSERT INTO teams SELECT g, 'team ' || g FROM generate_series(1, 4) g;
INSERT INTO tasks SELECT g, 1 + g % 4, 'task ' || g, g % 3 = 0 FROM generate_series(1, 400000) g;
CREATE INDEX tasks_team ON tasks (team_id, id);
ANALYZE;
"""

PERMISSIONS = """[session]
team_id = "int4"

[table.tasks.role.member]
select = { columns = ["id", "title", "done"], rows = "team_id = session.team_id", aggregates = true }
update = { columns = ["done"], rows = "team_id = session.team_id" }
"""

PAGE = "query Page { tasks(order_by: {id: asc}, limit: 20) { id title done } }"
SEARCH = 'query Search { tasksAggregate(where: {title: {_iregex: "(k.*){6}9$"}}) { aggregate { count } } }'


def free_port():
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return bound.getsockname()[1]


class Collector(http.server.BaseHTTPRequestHandler):
    """Takes OTLP in JSON, and keeps the spans."""

    spans = []

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        for resource in body["resourceSpans"]:
            for scope in resource["scopeSpans"]:
                Collector.spans += scope["spans"]
        self.send_response(200)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


class Hour:
    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hour"))
        os.chmod(self.folder, 0o777)
        self.ports = {name: free_port() for name in ("postgres", "g1", "g2", "balancer", "collector")}
        self.processes, self.logs = {}, {}
        self.outcomes, self.lock, self.stop = collections.Counter(), threading.Lock(), threading.Event()
        self.token = None

    # Postgres

    def as_postgres(self, *command):
        found = [shutil.which("initdb")] + sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"), reverse=True)
        programs = os.path.dirname(next(path for path in found if path))
        command = [os.path.join(programs, command[0]), *command[1:]]
        if os.geteuid() == 0:
            command = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups", *command]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")

    def start_postgres(self):
        options = f"-p {self.ports['postgres']} -k {self.folder} -c listen_addresses=127.0.0.1 -c fsync=off"
        self.as_postgres("pg_ctl", "-D", f"{self.folder}/data", "-o", options, "-l", f"{self.folder}/postgres.log", "-w", "start")

    def stop_postgres(self):
        self.as_postgres("pg_ctl", "-D", f"{self.folder}/data", "-m", "immediate", "-w", "stop")

    def sql(self, text):
        url = f"postgres://postgres@127.0.0.1:{self.ports['postgres']}/postgres"
        done = subprocess.run(["psql", url, "-AtqX", "-v", "ON_ERROR_STOP=1"], input=text, capture_output=True, text=True)
        return done.stdout.strip() or done.stderr.strip()

    # Gateways and balancer

    def start_gateway(self, name):
        log = open(self.folder / f"{name}.log", "ab")
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("POSTERN_", "PG", "DATABASE"))}
        environment |= {
            "POSTERN_DATABASE_URL": f"postgres://postgres@127.0.0.1:{self.ports['postgres']}/postgres",
            "POSTERN_PERMISSIONS": str(self.folder / "permissions.toml"),
            "POSTERN_LISTEN": f"127.0.0.1:{self.ports[name]}",
            "POSTERN_JWT_SECRET": json.dumps({"type": "HS256", "key": KEY}),
            "POSTERN_ADMIN_SECRET": SECRET,
            "POSTERN_LOG_FORMAT": "json",
            "POSTERN_TIME_LIMIT": "3",
            "POSTERN_POOL_SIZE": "4",
            "POSTERN_OTLP_ENDPOINT": f"http://127.0.0.1:{self.ports['collector']}",
            "POSTERN_TRACE_RATIO": "0.5",
            "POSTERN_SQL_COMMENTS": "true",
            # The balancer notices within a second that a gateway ends.
            "POSTERN_SHUTDOWN_DELAY": "3",
        }
        self.processes[name] = subprocess.Popen([POSTERN, "serve"], env=environment, stderr=log, stdout=subprocess.DEVNULL)
        self.until(lambda: self.get(name, "/readyz")[0] == 200, f"{name} is ready")

    def start_balancer(self):
        config = self.folder / "haproxy.cfg"
        config.write_text(f"""
global
    stats socket {self.folder}/haproxy.sock level admin
defaults
    mode http
    option redispatch
    retries 3
    retry-on conn-failure empty-response
    timeout connect 2s
    timeout client 75s
    timeout server 60s
frontend public
    bind 127.0.0.1:{self.ports['balancer']}
    default_backend gateways
backend gateways
    balance leastconn
    http-request disable-l7-retry if METH_POST
    option httpchk GET /readyz
    http-check expect status 200
    default-server check inter 500ms fall 2 rise 1
    server g1 127.0.0.1:{self.ports['g1']}
    server g2 127.0.0.1:{self.ports['g2']}
""")
        self.processes["haproxy"] = subprocess.Popen(["haproxy", "-f", config], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def balancer(self, command):
        with socket.socket(socket.AF_UNIX) as control:
            control.connect(f"{self.folder}/haproxy.sock")
            control.sendall(f"{command}\n".encode())
            return control.recv(65536).decode()

    def get(self, name, path):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.ports[name]}{path}", timeout=2) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError as error:
            return 0, str(error)

    # Requests

    def mint(self, key):
        secret = json.dumps({"type": "HS256", "key": key})
        command = [POSTERN, "token", "--role", "member", "--session", "team_id=2", "--jwt-secret", secret]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def ask(self, query, name="balancer", token=None, connection=None):
        own = connection or http.client.HTTPConnection("127.0.0.1", self.ports[name], timeout=30)
        operation = query.split("{")[0].split()[1]
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token or self.token}"}
        own.request("POST", "/v1/graphql", json.dumps({"query": query, "operationName": operation}), headers)
        answer = own.getresponse()
        text = answer.read()
        # With no gateway ready, the balancer answers by itself.
        if "json" not in answer.headers.get("content-type", ""):
            return answer.status, "from the balancer"
        body = json.loads(text)
        code = body["errors"][0]["extensions"]["code"] if "errors" in body else ""
        return answer.status, code

    def traffic(self):
        connection, count = None, 0
        while not self.stop.is_set():
            try:
                # Most requests use a connection again, as those of applications do.
                if connection is None or count % 50 == 0:
                    connection = http.client.HTTPConnection("127.0.0.1", self.ports["balancer"], timeout=30)
                count += 1
                outcome = self.ask(PAGE, connection=connection)
            except (OSError, http.client.HTTPException) as error:
                outcome, connection = (0, type(error).__name__), None
            with self.lock:
                self.outcomes[outcome] += 1
            time.sleep(0.03)

    def during(self, seconds=0.0):
        """What the traffic has met since the last call."""
        time.sleep(seconds)
        with self.lock:
            seen, self.outcomes = self.outcomes, collections.Counter()
        return {f"{status} {code}".strip(): count for (status, code), count in sorted(seen.items())}

    # Evidence

    def lines(self, name, since, **wanted):
        """The lines of a log with these fields, after a time as the log writes it."""
        found = []
        for line in (self.folder / f"{name}.log").read_text().splitlines():
            entry = json.loads(line)
            if entry["timestamp"] >= since and all(entry.get(key) == value for key, value in wanted.items()):
                found.append(entry)
        return found

    def metric(self, name, prefix):
        return [line for line in self.get(name, "/metrics")[1].splitlines() if line.startswith(prefix)]

    def until(self, holds, what, limit=30):
        end = time.time() + limit
        while not holds():
            if time.time() > end:
                raise SystemExit(f"still not: {what}")
            time.sleep(0.05)


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime())


def say(*parts):
    print(*parts, flush=True)


def shown(entry):
    kept = {key: value for key, value in entry.items() if key not in ("timestamp", "request_id", "trace_id", "method", "path")}
    return json.dumps(kept, ensure_ascii=False)


def scene(title):
    say(f"\n## {title}")
    return now()


def play(hour):
    if os.geteuid() == 0:
        shutil.chown(hour.folder, "postgres", "postgres")
    hour.as_postgres("initdb", "-D", f"{hour.folder}/data", "-A", "trust", "-U", "postgres")
    hour.start_postgres()
    hour.sql(SCHEMA)
    permissions = hour.folder / "permissions.toml"
    permissions.write_text(PERMISSIONS)
    collector = http.server.ThreadingHTTPServer(("127.0.0.1", hour.ports["collector"]), Collector)
    threading.Thread(target=collector.serve_forever, daemon=True).start()
    hour.token = hour.mint(KEY)
    for name in ("g1", "g2"):
        hour.start_gateway(name)
    hour.start_balancer()
    hour.until(lambda: hour.get("balancer", "/readyz")[0] == 200, "the balancer answers")

    start = scene("start")
    for _ in range(12):
        threading.Thread(target=hour.traffic, daemon=True).start()
    say("traffic:", hour.during(3))
    say("log:", shown(hour.lines("g1", "", message="ready")[0]))
    say("metrics:", hour.metric("g1", 'postern_operations_total{code="",operation="Page"}'))

    start = scene("rolling upgrade")
    for name in ("g1", "g2"):
        hour.balancer(f"set server gateways/{name} state drain")
        time.sleep(0.5)
        old = hour.processes[name]
        old.send_signal(signal.SIGTERM)
        say(name, "ended with", old.wait(timeout=40))
        hour.start_gateway(name)
        hour.balancer(f"set server gateways/{name} state ready")
        time.sleep(1)
    say("traffic:", hour.during(1))
    say("log:", [entry["message"] for entry in hour.lines("g1", start) if entry["message"] in ("stopping", "stopped", "ready")])

    start = scene("upgrade by the shutdown delay alone")
    hour.processes["g1"].send_signal(signal.SIGTERM)
    hour.processes["g1"].wait(timeout=40)
    hour.start_gateway("g1")
    say("traffic:", hour.during(2))

    start = scene("a broken permission file")
    permissions.write_text(PERMISSIONS.replace('"title"', '"titel"'))
    for name in ("g1", "g2"):
        hour.processes[name].send_signal(signal.SIGHUP)
    hour.until(lambda: hour.lines("g1", start, level="ERROR"), "the fault is in the log")
    say("traffic:", hour.during(1))
    say("log:", hour.lines("g1", start, level="ERROR")[0]["message"])
    say("metrics:", hour.metric("g1", "postern_reloads_total"))
    permissions.write_text(PERMISSIONS)
    for name in ("g1", "g2"):
        hour.processes[name].send_signal(signal.SIGHUP)
    hour.until(lambda: any('outcome="done"' in line for line in hour.metric("g1", "postern_reloads_total")), "the reload is done")

    start = scene("a lost database")
    hour.during()
    hour.stop_postgres()
    time.sleep(2)
    say("readyz:", hour.get("g1", "/readyz"), "healthz:", hour.get("g1", "/healthz")[0])
    say("log:", shown((hour.lines("g1", start, level="ERROR") or hour.lines("g2", start, level="ERROR"))[0]))
    say("metrics:", [line for line in hour.metric("g1", "postern_requests_total") if "unavailable" in line or 'status="503"' in line])
    hour.start_postgres()
    begun = time.time()
    hour.until(lambda: hour.ask(PAGE) == (200, ""), "requests are answered again")
    say(f"answered again after {time.time() - begun:.1f} s, without a restart; traffic:", hour.during(2))

    start = scene("a slow query")
    Collector.spans.clear()
    hour.during()
    for _ in range(8):
        say(hour.ask(SEARCH, name="g1"))
    time.sleep(1.5)
    slow = hour.lines("g1", start, operation="Search")
    say("log:", shown(max(slow, key=lambda entry: entry["ms"])))
    say("metrics:", hour.metric("g1", 'postern_operation_duration_seconds_sum{operation="Search"}'), hour.metric("g1", 'postern_operation_duration_seconds_count{operation="Search"}'))
    spans = [span for span in Collector.spans if span["name"] == "postgresql" and any("tasks" in json.dumps(a) and "regex" in json.dumps(a) or "~*" in json.dumps(a) for a in span["attributes"])]
    say("trace:", json.dumps(spans[:1], ensure_ascii=False)[:1500])

    start = scene("a lock")
    hour.during()
    locker = threading.Thread(target=hour.sql, args=("BEGIN; LOCK TABLE tasks; SELECT pg_sleep(6); COMMIT;",))
    locker.start()
    time.sleep(2.5)
    say("activity:", hour.sql("SELECT wait_event_type, count(*) FROM pg_stat_activity WHERE query LIKE '%tasks%' AND wait_event_type = 'Lock' GROUP BY 1"))
    say("comment:", hour.sql("SELECT right(query, 78) FROM pg_stat_activity WHERE query LIKE '%traceparent=%' AND pid <> pg_backend_pid() LIMIT 1"))
    locker.join()
    late = hour.lines("g1", start, status=504) + hour.lines("g2", start, status=504)
    for entry in sorted(late, key=lambda entry: entry.get("wait_ms", 0))[:1] + sorted(late, key=lambda entry: -entry.get("wait_ms", 0))[:1]:
        say("log:", shown(entry))
    hour.until(lambda: hour.ask(PAGE) == (200, ""), "requests are answered again")
    say("traffic:", hour.during(1))

    start = scene("a refused token")
    foreign = hour.mint(OTHER_KEY)
    for _ in range(3):
        say(hour.ask(PAGE, name="g1", token=foreign))
    hour.until(lambda: hour.lines("g1", start, status=401), "the refusals are in the log")
    say("log:", shown(hour.lines("g1", start, status=401)[0]))
    say("metrics:", [line for line in hour.metric("g1", "postern_requests_total") if 'status="401"' in line])

    start = scene("the end")
    hour.stop.set()
    for name in ("g1", "g2"):
        hour.processes[name].send_signal(signal.SIGTERM)
        say(name, "ended with", hour.processes[name].wait(timeout=40))
    say("spans received:", len(Collector.spans))


def main():
    hour = Hour()
    try:
        play(hour)
    finally:
        hour.stop.set()
        for process in hour.processes.values():
            if process.poll() is None:
                process.kill()
        try:
            hour.stop_postgres()
        except subprocess.CalledProcessError:
            pass
        shutil.rmtree(hour.folder, ignore_errors=True)


main()
