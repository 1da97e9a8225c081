"""Write the lock file of one Neo4j server line from Maven's own resolution; run it when a line moves to a new version.

    python scripts/make_jar_lock.py 2026.08.1

Needs `mvn`. The result is memoryos_graph/store/managed/locks/neo4j-VERSION.lock: one jar a line,
`group:artifact:version[:classifier] sha256 size`, sorted, and the only thing the managed server trusts.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

LOCKS = Path(__file__).resolve().parent.parent / "memoryos_graph" / "store" / "managed" / "locks"
POM = """<project><modelVersion>4.0.0</modelVersion>
<groupId>lock</groupId><artifactId>lock</artifactId><version>1</version>
<dependencies><dependency><groupId>org.neo4j</groupId><artifactId>neo4j</artifactId><version>{version}</version></dependency>
</dependencies></project>
"""


def resolve(version: str, folder: Path) -> list[Path]:
    """Let Maven copy the server's runtime jars into `folder`, laid out as in a repository."""
    pom = folder / "pom.xml"
    pom.write_text(POM.format(version=version), encoding="utf-8")
    jars = folder / "jars"
    options = [f"-DoutputDirectory={jars}", "-DincludeScope=runtime", "-Dmdep.useRepositoryLayout=true"]
    subprocess.run(["mvn", "-B", "-q", "-f", str(pom), "dependency:copy-dependencies", *options], check=True)
    return [path.relative_to(jars) for path in jars.rglob("*.jar")]


def coordinates(path: Path) -> str:
    """`group:artifact:version[:classifier]` of a jar, from its path in the repository layout."""
    *group, artifact, version, name = path.parts
    classifier = name.removesuffix(".jar").removeprefix(f"{artifact}-{version}").removeprefix("-")
    if classifier == "tests":
        raise SystemExit(f"{name} is a test jar: the resolution is not the runtime scope")
    return ":".join(part for part in (".".join(group), artifact, version, classifier) if part)


def lock_line(jars: Path, path: Path) -> str:
    """One line of the lock file."""
    content = (jars / path).read_bytes()
    return f"{coordinates(path)} {hashlib.sha256(content).hexdigest()} {len(content)}\n"


def main(version: str) -> None:
    """Write the lock file of `version`."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = sorted(lock_line(folder / "jars", path) for path in resolve(version, folder))
    target = LOCKS / f"neo4j-{version}.lock"
    target.write_text("".join(lines), encoding="utf-8")
    print(f"{target.name}: {len(lines)} jars, {sum(int(line.split()[2]) for line in lines) / 1e6:.0f} MB")


if __name__ == "__main__":
    main(sys.argv[1])
