#!/usr/bin/env python3
"""Writes the software bill of materials of the program: CycloneDX 1.5 as JSON, from `cargo metadata`.

    scripts/sbom.py [--target TRIPLE] > target/postern.cdx.json

It lists the crates that the binary is built of (neither tests nor benchmarks) with version, licence, checksum and
dependencies. The output is the same for the same Cargo.lock.
"""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = "postern"


def host():
    version = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True, cwd=ROOT).stdout
    return next(line.split()[1] for line in version.splitlines() if line.startswith("host:"))


def metadata(target):
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout)


def checksums():
    """The SHA-256 of each crate by name and version, as Cargo.lock has it."""
    found, entry = {}, {}
    for line in (ROOT / "Cargo.lock").read_text().splitlines():
        if line == "[[package]]":
            entry = {}
        elif " = " in line:
            key, value = line.split(" = ", 1)
            entry[key] = value.strip('"')
            if key == "checksum":
                found[entry["name"], entry["version"]] = entry["checksum"]
    return found


def purl(package):
    return f"pkg:cargo/{package['name']}@{package['version']}"


def component(package, sums):
    described = {"type": "library", "bom-ref": purl(package), "name": package["name"], "version": package["version"]}
    if package.get("description"):
        described["description"] = " ".join(package["description"].split())
    if package.get("license"):
        # An old way to write `OR`.
        described["licenses"] = [{"expression": package["license"].replace(" / ", "/").replace("/", " OR ")}]
    checksum = sums.get((package["name"], package["version"]))
    if checksum:
        described["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    described["purl"] = purl(package)
    if package.get("repository"):
        described["externalReferences"] = [{"type": "vcs", "url": package["repository"]}]
    return described


def main():
    target = sys.argv[2] if sys.argv[1:2] == ["--target"] else host()
    graph = metadata(target)
    packages = {package["id"]: package for package in graph["packages"]}
    nodes = {node["id"]: node for node in graph["resolve"]["nodes"]}
    root = next(package["id"] for package in packages.values() if package["name"] == PROGRAM and not package["source"])
    # Kinds are `None` for what is linked, `build` and `dev` for what is not.
    linked = lambda node: [d["pkg"] for d in node["deps"] if any(k["kind"] is None for k in d["dep_kinds"])]
    reached, waiting = set(), [root]
    while waiting:
        at = waiting.pop()
        if at not in reached:
            reached.add(at)
            waiting += linked(nodes[at])
    sums = checksums()
    ordered = sorted(reached, key=lambda at: (packages[at]["name"], packages[at]["version"]))
    program = component(packages[root], sums) | {"type": "application"}
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": program},
        "components": [component(packages[at], sums) for at in ordered if at != root],
        "dependencies": [
            {"ref": purl(packages[at]), "dependsOn": sorted({purl(packages[d]) for d in linked(nodes[at])})}
            for at in ordered
        ],
    }
    json.dump(bill, sys.stdout, indent=2, ensure_ascii=False)
    print()


main()
