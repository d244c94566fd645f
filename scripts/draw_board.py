#!/usr/bin/env python3
"""Draws the panels of deploy/grafana/dashboards/postern.json from a running Prometheus into one HTML page, for a look at
the board without Grafana: after a change of the board, or to put pictures of an incident into its report.

    scripts/draw_board.py http://127.0.0.1:9090 board.html [MINUTES]
    chromium --headless --no-sandbox --screenshot=board.png --window-size=1500,5200 board.html
"""

import html
import json
import math
import pathlib
import sys
import time
import urllib.parse
import urllib.request

BOARD = pathlib.Path(__file__).parent.parent / "deploy/grafana/dashboards/postern.json"
COLOURS = ["#3274d9", "#e0752d", "#56a64b", "#a352cc", "#f2cc0c", "#0f9d9d", "#e02f44", "#8f8f8f", "#705da0", "#c15c17"]
NAMED = {"red": "#e02f44", "orange": "#ff780a", "blue": "#3274d9", "green": "#56a64b"}
COLUMN, ROW = 60, 30


def query(server, expression, start, end, step):
    parameters = urllib.parse.urlencode({"query": expression, "start": start, "end": end, "step": step})
    with urllib.request.urlopen(f"{server}/api/v1/query_range?{parameters}") as response:
        return json.load(response)["data"]["result"]


def legend(form, labels):
    for name, value in labels.items():
        form = form.replace("{{" + name + "}}", value)
    while "{{" in form:
        before, rest = form.split("{{", 1)
        form = before + rest.split("}}", 1)[-1]
    return form.strip()


def series(server, panel, start, end):
    step = max(5, int((end - start) / 240))
    found = []
    for target in panel["targets"]:
        expression = target["expr"].replace("$__rate_interval", "1m").replace('"$instance"', '".*"').replace('"$route"', '".*"')
        for result in query(server, expression, start, end, step):
            points = [(float(at), float(value)) for at, value in result["values"]]
            points = [(at, value) for at, value in points if math.isfinite(value)]
            if points:
                found.append((legend(target["legendFormat"], result["metric"]), points))
    return found


def shown(value, unit):
    if unit == "percentunit":
        return f"{value * 100:.1f} %"
    if unit == "bytes":
        for name in ("B", "kiB", "MiB", "GiB"):
            if abs(value) < 1024 or name == "GiB":
                return f"{value:.3g} {name}"
            value /= 1024
    if unit == "s":
        return f"{value * 1000:.3g} ms" if abs(value) < 1 else f"{value:.3g} s" if abs(value) < 7200 else f"{value / 86400:.3g} d"
    return f"{value:.3g}"


def chart(panel, data, width, height, start, end):
    defaults = panel["fieldConfig"]["defaults"]
    fixed = {o["matcher"]["options"]: o["properties"][0]["value"]["fixedColor"] for o in panel["fieldConfig"]["overrides"]}
    is_stacked = "stacking" in defaults.get("custom", {})
    is_stepped = defaults.get("custom", {}).get("lineInterpolation") == "stepAfter"
    total = {}
    drawn = []
    for name, points in data:
        if is_stacked:
            points = [(at, total.get(at, 0) + value) for at, value in points]
            total.update(points)
        drawn.append((name, points))
    values = [value for _, points in drawn for _, value in points]
    top = defaults.get("max") or max(values, default=0) or 1
    bottom = min(0, min(values, default=0))
    left, right, above, below = 58, 8, 8, 40
    x = lambda at: left + (at - start) / (end - start) * (width - left - right)
    y = lambda value: height - below - (value - bottom) / (top - bottom) * (height - above - below)
    out = [f'<svg width="{width}" height="{height}">']
    for part in (0, 0.5, 1):
        value = bottom + (top - bottom) * part
        out.append(f'<line x1="{left}" x2="{width - right}" y1="{y(value)}" y2="{y(value)}" stroke="#ddd"/>')
        out.append(f'<text x="{left - 4}" y="{y(value) + 4}" text-anchor="end">{shown(value, defaults.get("unit"))}</text>')
    for index, (name, points) in reversed(list(enumerate(drawn))):
        colour = NAMED.get(fixed.get(name), COLOURS[index % len(COLOURS)])
        line = []
        for number, (at, value) in enumerate(points):
            if is_stepped and number:
                line.append(f"{x(at):.1f},{y(points[number - 1][1]):.1f}")
            line.append(f"{x(at):.1f},{y(value):.1f}")
        if is_stacked:
            area = line + [f"{x(points[-1][0]):.1f},{y(0):.1f}", f"{x(points[0][0]):.1f},{y(0):.1f}"]
            out.append(f'<polygon points="{" ".join(area)}" fill="{colour}" opacity="0.5"/>')
        out.append(f'<polyline points="{" ".join(line)}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
    names = "".join(
        f'<tspan fill="{NAMED.get(fixed.get(name), COLOURS[index % len(COLOURS)])}">■ {html.escape(name)}  </tspan>'
        for index, (name, _) in enumerate(drawn[:6])
    )
    out.append(f'<text x="4" y="{height - 20}">{names}</text>')
    for at in (start, end):
        anchor = "start" if at == start else "end"
        out.append(f'<text x="{x(at)}" y="{height - 6}" text-anchor="{anchor}">{time.strftime("%H:%M", time.gmtime(at))}</text>')
    return "".join(out + ["</svg>"])


def stat(panel, data):
    parts = []
    for name, points in data:
        value = points[-1][1]
        steps = panel["fieldConfig"]["defaults"]["thresholds"]["steps"]
        colour = [step["color"] for step in steps if step["value"] is None or value >= step["value"]][-1]
        text = shown(value, panel["fieldConfig"]["defaults"].get("unit"))
        parts.append(f'<div class="stat" style="background:{NAMED[colour]}">{text} <small>{html.escape(name)}</small></div>')
    return "".join(parts)


def main():
    server, out = sys.argv[1], sys.argv[2]
    end = time.time()
    start = end - 60 * float(sys.argv[3] if len(sys.argv) > 3 else 60)
    page = ['<meta charset="utf-8"><style>body{font:12px sans-serif;position:relative}svg text{font-size:11px;fill:#555}'
            'div.panel{position:absolute;border:1px solid #ddd;overflow:hidden}h3{margin:4px;font-size:13px}'
            'h2{position:absolute;margin:0;font-size:16px}.stat{color:#fff;font-size:24px;padding:6px 8px}.stat small{font-size:12px}'
            '.none{padding:20px;color:#999}</style>']
    for panel in json.loads(BOARD.read_text())["panels"]:
        at = panel["gridPos"]
        left, top = at["x"] * COLUMN, at["y"] * ROW
        width, height = at["w"] * COLUMN - 6, at["h"] * ROW - 6
        place = f'style="left:{left}px;top:{top}px;width:{width}px;height:{height}px"'
        if panel["type"] == "row":
            page.append(f'<h2 {place}>{html.escape(panel["title"])}</h2>')
            continue
        data = series(server, panel, start, end)
        if panel["type"] == "stat":
            body = stat(panel, data)
        else:
            body = chart(panel, data, width, height - 24, start, end)
        page.append(f'<div class="panel" {place}><h3>{html.escape(panel["title"])}</h3>{body or "<p class=none>no data</p>"}</div>')
    pathlib.Path(out).write_text("\n".join(page))


main()
