#!/usr/bin/env python3
"""Makes the packages of a release from built binaries, in target/packages: archives, Debian packages, npm packages, wheels,
bills of materials, Homebrew's formula, and SHA256SUMS. Packing takes seconds; `make packages` builds the binaries first.

    scripts/packages.py --binary target/release/postern --binary target/aarch64-unknown-linux-gnu/release/postern

Each binary is for Linux; its architecture and the C library that it needs are read from the file. One of the binaries must run
on this machine, because it writes the manual pages and completions. The same binaries and SOURCE_DATE_EPOCH (by default the time
of the last commit) give the same packages, byte by byte.
"""

import argparse
import base64
import gzip
import hashlib
import io
import json
import lzma
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILES = ROOT / "deploy/packages"

# The name of the distribution on PyPI, where `postern` is another project. Its command is `postern`.
WHEEL = "postern-gateway"


@dataclass
class Architecture:
    elf_machine: int
    name: str  # as `uname -m` prints it; in the names of archives and wheels
    debian: str
    node: str


ARCHITECTURES = [Architecture(62, "x86_64", "amd64", "x64"), Architecture(183, "aarch64", "arm64", "arm64")]


class Binary:
    """A built program: its bytes, its architecture, and the minor version of glibc 2 that it needs."""

    def __init__(self, path):
        self.path = path
        self.content = path.read_bytes()
        if self.content[:6] != b"\x7fELF\x02\x01":
            sys.exit(f"packages: {path} is not a 64-bit program for Linux")
        machine = int.from_bytes(self.content[18:20], "little")
        found = [architecture for architecture in ARCHITECTURES if architecture.elf_machine == machine]
        if not found:
            sys.exit(f"packages: {path} is for a machine (ELF {machine}) that no package is made for")
        self.architecture = found[0]
        versions = re.findall(rb"(?<=\0)GLIBC_2\.(\d+)(?:\.\d+)?(?=\0)", self.content)
        self.glibc = max(map(int, versions), default=0)

    def runs_here(self):
        return platform.system() == "Linux" and platform.machine() == self.architecture.name


@dataclass
class Project:
    """What Cargo.toml says."""

    version: str
    description: str
    license: str
    repository: str
    maintainer: str

    @staticmethod
    def read():
        command = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--locked", "--offline"]
        metadata = json.loads(subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout)
        package = next(package for package in metadata["packages"] if package["name"] == "postern")
        return Project(
            package["version"], package["description"], package["license"], package["repository"], package["authors"][0]
        )

    def archive(self, architecture):
        """The name of an archive without its ending. Cargo.toml has the pattern for `cargo binstall`."""
        return f"postern-{self.version}-linux-{architecture.name}"

    def url(self, file):
        return f"{self.repository}/releases/download/v{self.version}/{file}"


def time_of_release():
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if not epoch:
        command = ["git", "log", "-1", "--format=%ct"]
        epoch = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout
    return int(epoch)


@dataclass
class Packer:
    """Writes archives that depend on nothing but their content: files in order, one time, no users of this machine."""

    time: int
    fast: bool

    def gzip(self, content):
        out = io.BytesIO()
        with gzip.GzipFile(filename="", mode="wb", fileobj=out, compresslevel=0 if self.fast else 9, mtime=self.time) as file:
            file.write(content)
        return out.getvalue()

    def member(self, name, content):
        """A part of a Debian package, which may be compressed or not."""
        if self.fast:
            return name, content
        return f"{name}.xz", lzma.compress(content, preset=9 | lzma.PRESET_EXTREME)

    def tar(self, files, prefix=""):
        """`files` maps paths to pairs of content and mode; folders above them are added."""
        parents = {str(parent) for path in files for parent in pathlib.PurePosixPath(path).parents}
        entries = {prefix.rstrip("/"): None} | {prefix + parent: None for parent in parents if parent != "."}
        entries |= {prefix + path: entry for path, entry in files.items()}
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
            for path in sorted(entries):
                info = tarfile.TarInfo(path)
                info.mtime = self.time
                info.uname = info.gname = "root"
                if entries[path] is None:
                    info.type, info.mode = tarfile.DIRTYPE, 0o755
                    archive.addfile(info)
                else:
                    content, info.mode = entries[path]
                    info.size = len(content)
                    archive.addfile(info, io.BytesIO(content))
        return out.getvalue()

    def ar(self, members):
        """The format of Debian packages."""
        out = b"!<arch>\n"
        for name, content in members:
            out += f"{name:<16}{self.time:<12}{0:<6}{0:<6}{100644:<8}{len(content):<10}`\n".encode() + content
            out += b"\n" * (len(content) % 2)
        return out


def generated(binary):
    """The manual pages by their names, and the completions by their shells."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([binary.path, "man", "--out", folder], check=True, capture_output=True)
        pages = {page.name: page.read_bytes() for page in sorted(pathlib.Path(folder).iterdir())}
    completions = {
        shell: subprocess.run([binary.path, "completions", shell], check=True, capture_output=True).stdout
        for shell in ("bash", "zsh", "fish")
    }
    return pages, completions


def bill_of_materials(architecture):
    target = f"{architecture.name}-unknown-linux-gnu"
    return subprocess.run([ROOT / "scripts/sbom.py", "--target", target], check=True, capture_output=True).stdout


def file(path, mode=0o644):
    return path.read_bytes(), mode


def service(program):
    """The unit of systemd, with the path of the installed program."""
    text = (ROOT / "deploy/systemd/postern.service").read_text()
    return text.replace("/usr/bin/postern", program).encode(), 0o644


def archive_files(binary, pages, completions, bill):
    """The archive has the folders of a prefix, so that it can be unpacked in /usr/local."""
    files = {
        "bin/postern": (binary.content, 0o755),
        "lib/systemd/system/postern.service": service("/usr/local/bin/postern"),
        "share/bash-completion/completions/postern": (completions["bash"], 0o644),
        "share/zsh/site-functions/_postern": (completions["zsh"], 0o644),
        "share/fish/vendor_completions.d/postern.fish": (completions["fish"], 0o644),
        "share/doc/postern/LICENSE": file(ROOT / "LICENSE"),
        "share/doc/postern/README.md": file(ROOT / "README.md"),
        "share/doc/postern/postern.cdx.json": (bill, 0o644),
    }
    return files | {f"share/man/man1/{name}": (page, 0o644) for name, page in pages.items()}


def debian_package(packer, project, binary, pages, completions, bill):
    debian = FILES / "debian"
    files = {
        "usr/bin/postern": (binary.content, 0o755),
        "usr/lib/systemd/system/postern.service": service("/usr/bin/postern"),
        "usr/share/bash-completion/completions/postern": (completions["bash"], 0o644),
        "usr/share/zsh/vendor-completions/_postern": (completions["zsh"], 0o644),
        "usr/share/fish/vendor_completions.d/postern.fish": (completions["fish"], 0o644),
        "usr/share/doc/postern/copyright": file(ROOT / "LICENSE"),
        "usr/share/doc/postern/changelog.gz": (packer.gzip((ROOT / "CHANGELOG.md").read_bytes()), 0o644),
        "usr/share/doc/postern/postern.cdx.json": (bill, 0o644),
        "etc/postern/gateway.toml": file(debian / "gateway.toml"),
        "etc/default/postern": file(debian / "postern.default"),
    }
    files |= {f"usr/share/man/man1/{name}.gz": (packer.gzip(page), 0o644) for name, page in pages.items()}
    files |= {f"usr/share/doc/postern/{page.name}": file(page) for page in sorted((ROOT / "docs").glob("*.md"))}
    schemas = sorted((ROOT / "docs/schemas").glob("*.json"))
    files |= {f"usr/share/postern/schemas/{schema.name}": file(schema) for schema in schemas}

    size = sum(len(content) for content, _ in files.values())
    summary = project.description.removeprefix("A ")
    control = f"""\
Package: postern
Version: {project.version.replace("-", "~")}
Architecture: {binary.architecture.debian}
Maintainer: {project.maintainer}
Installed-Size: {-(-size // 1024)}
Depends: libc6 (>= 2.{binary.glibc}), ca-certificates
Suggests: postgresql
Section: net
Priority: optional
Homepage: {project.repository}
Description: {summary}
 Postern answers GraphQL and REST requests from a Postgres database under the
 permissions of the caller's role.
"""
    sums = "".join(f"{hashlib.md5(files[path][0]).hexdigest()}  {path}\n" for path in sorted(files))
    settings = "".join(f"/{path}\n" for path in sorted(files) if path.startswith("etc/"))
    scripts = {name: file(debian / name, 0o755) for name in ("postinst", "prerm", "postrm")}
    control_files = scripts | {
        name: (text.encode(), 0o644) for name, text in (("control", control), ("md5sums", sums), ("conffiles", settings))
    }
    return packer.ar(
        [
            ("debian-binary", b"2.0\n"),
            packer.member("control.tar", packer.tar(control_files, "./")),
            packer.member("data.tar", packer.tar(files, "./")),
        ]
    )


def npm_package(packer, project, manifest, files):
    common = {
        "version": project.version,
        "license": project.license,
        "homepage": project.repository,
        "repository": {"type": "git", "url": f"git+{project.repository}.git"},
    }
    manifest = {"name": manifest["name"]} | common | manifest
    content = {"package.json": (json.dumps(manifest, indent=2).encode() + b"\n", 0o644), "LICENSE": file(ROOT / "LICENSE")}
    return packer.gzip(packer.tar(content | files, "package/"))


def platform_of_npm(architecture):
    return f"@postern/linux-{architecture.node}"


def npm_program(packer, project, binary):
    name = platform_of_npm(binary.architecture)
    manifest = {
        "name": name,
        "description": f"The program of the package postern for {name.split('/')[1]}",
        "os": ["linux"],
        "cpu": [binary.architecture.node],
        "libc": ["glibc"],
    }
    return npm_package(packer, project, manifest, {"bin/postern": (binary.content, 0o755)})


def npm_launcher(packer, project):
    manifest = {
        "name": "postern",
        "description": project.description,
        "keywords": ["graphql", "rest", "postgres", "postgresql", "hasura"],
        "bin": {"postern": "postern.js"},
        "engines": {"node": ">=12"},
        "optionalDependencies": {platform_of_npm(architecture): project.version for architecture in ARCHITECTURES},
    }
    files = {"postern.js": file(FILES / "npm/postern.js", 0o755), "README.md": file(ROOT / "README.md")}
    return npm_package(packer, project, manifest, files)


def wheel(packer, project, binary):
    """The name of the file and its content: https://packaging.python.org/en/latest/specifications/binary-distribution-format"""
    version = re.sub(r"-(alpha|beta|rc)\.?", lambda match: {"alpha": "a", "beta": "b"}.get(match[1], "rc"), project.version)
    name = f"{WHEEL.replace('-', '_')}-{version}"
    machine = binary.architecture.name
    tags = [f"manylinux_2_{max(binary.glibc, 17)}_{machine}"]
    if binary.glibc <= 17:
        # What pip before 20.3 knows.
        tags.append(f"manylinux2014_{machine}")
    metadata = f"""\
Metadata-Version: 2.1
Name: {WHEEL}
Version: {version}
Summary: {project.description}
License: {project.license}
Home-page: {project.repository}
Requires-Python: >=3.7
Description-Content-Type: text/markdown

{(ROOT / "README.md").read_text()}"""
    description = "Wheel-Version: 1.0\nGenerator: postern\nRoot-Is-Purelib: false\n"
    description += "".join(f"Tag: py3-none-{tag}\n" for tag in tags)
    files = {
        f"{name}.data/scripts/postern": (binary.content, 0o755),
        f"{name}.dist-info/LICENSE": file(ROOT / "LICENSE"),
        f"{name}.dist-info/METADATA": (metadata.encode(), 0o644),
        f"{name}.dist-info/WHEEL": (description.encode(), 0o644),
    }
    record = f"{name}.dist-info/RECORD"
    digest = lambda content: base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    lines = [f"{path},sha256={digest(content)},{len(content)}\n" for path, (content, _) in files.items()]
    files[record] = ("".join([*lines, f"{record},,\n"]).encode(), 0o644)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compresslevel=9) as archive:
        for path, (content, mode) in files.items():
            # Zip knows no time before 1980, and no zone.
            moment = max(packer.time, 315532800)
            info = zipfile.ZipInfo(path, time.gmtime(moment)[:6])
            info.external_attr = (0o100000 | mode) << 16
            info.compress_type = zipfile.ZIP_STORED if packer.fast else zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return f"{name}-py3-none-{'.'.join(tags)}.whl", out.getvalue()


def formula(project, archives):
    text = (FILES / "homebrew/postern.rb").read_text()
    values = {"VERSION": project.version, "REPOSITORY": project.repository, "LICENSE": project.license}
    for architecture, (name, content) in archives.items():
        values |= {f"URL_{architecture}": project.url(name), f"SHA256_{architecture}": hashlib.sha256(content).hexdigest()}
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    return text.encode()


def make(project, packer, binaries, write):
    native = next((binary for binary in binaries if binary.runs_here()), None)
    if native is None:
        sys.exit("packages: none of the binaries runs on this machine, to write the manual pages")
    pages, completions = generated(native)
    archives = {}
    for binary in binaries:
        architecture = binary.architecture
        bill = bill_of_materials(architecture)
        archive = project.archive(architecture)
        content = packer.gzip(packer.tar(archive_files(binary, pages, completions, bill), f"{archive}/"))
        archives[architecture.name] = (f"{archive}.tar.gz", content)
        write(f"{archive}.tar.gz", content)
        write(f"{archive}.cdx.json", bill)
        debian = f"postern_{project.version.replace('-', '~')}_{architecture.debian}.deb"
        write(debian, debian_package(packer, project, binary, pages, completions, bill))
        write(f"postern-linux-{architecture.node}-{project.version}.tgz", npm_program(packer, project, binary))
        write(*wheel(packer, project, binary))
    write(f"postern-{project.version}.tgz", npm_launcher(packer, project))
    # The formula names the archives of both architectures.
    if len(archives) == len(ARCHITECTURES):
        write("postern.rb", formula(project, archives))


def main():
    parser = argparse.ArgumentParser(description="Makes the packages of a release from built binaries.")
    parser.add_argument("--binary", action="append", required=True, type=pathlib.Path, help="a program for Linux")
    parser.add_argument("--out", type=pathlib.Path, help="the folder of the packages, which is emptied first (target/packages)")
    parser.add_argument("--glibc", metavar="2.N", help="refuse a binary that needs a newer C library")
    parser.add_argument("--fast", action="store_true", help="compress nothing, for tests")
    arguments = parser.parse_args()
    binaries = [Binary(path.resolve()) for path in arguments.binary]
    if len({binary.architecture.name for binary in binaries}) < len(binaries):
        sys.exit("packages: two binaries are for the same architecture")
    for binary in binaries:
        if arguments.glibc and binary.glibc > int(arguments.glibc.split(".")[1]):
            sys.exit(f"packages: {binary.path} needs glibc 2.{binary.glibc}, and not {arguments.glibc}")

    out = arguments.out or pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "packages"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    sums = {}

    def write(name, content):
        (out / name).write_bytes(content)
        sums[name] = hashlib.sha256(content).hexdigest()
        print(f"{len(content) / 1e6:7.2f} MB  {name}", file=sys.stderr)

    make(Project.read(), Packer(time_of_release(), arguments.fast), binaries, write)
    (out / "SHA256SUMS").write_text("".join(f"{sums[name]}  {name}\n" for name in sorted(sums)))
    print(f"packages: {out}", file=sys.stderr)


main()
