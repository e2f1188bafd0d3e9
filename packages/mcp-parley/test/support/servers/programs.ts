import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Where a program is looked for, and what brings it where it is missing. */
interface Wanted {
  readonly name: string;
  readonly program: string;
  /** Folders that are no part of the path, the best first. */
  folders(): string[];
  readonly debian: string;
  readonly elsewhere: string;
}

const POSTGRES: Wanted = {
  name: "PostgreSQL",
  program: "initdb",
  folders: () => [
    ...versionsIn("/usr/lib/postgresql").map((version) => `/usr/lib/postgresql/${version}/bin`),
    ...["/opt/homebrew/opt", "/usr/local/opt"].flatMap((folder) =>
      versionsIn(folder, "postgresql").map((formula) => `${folder}/${formula}/bin`),
    ),
    ...versionsIn("/usr", "pgsql-").map((folder) => `/usr/${folder}/bin`),
  ],
  debian: "postgresql",
  elsewhere:
    "PostgreSQL 12 or later, such as `apt-get install postgresql` or `brew install postgresql`",
};

const REDIS: Wanted = {
  name: "Redis",
  program: "redis-server",
  folders: () => ["/opt/homebrew/bin", "/usr/local/bin"],
  debian: "redis-server",
  elsewhere: "Redis 6.2 or later, such as `apt-get install redis-server` or `brew install redis`",
};

/** The folder of PostgreSQL's programs; installs them on Debian as root, and says so. */
export function postgresPrograms(): string {
  return path.dirname(find(POSTGRES));
}

/** The Redis server; installs it on Debian as root, and says so. */
export function redisProgram(): string {
  return find(REDIS);
}

function find(wanted: Wanted): string {
  const found = look(wanted);
  if (found !== undefined) return found;
  if (!mayInstall()) {
    throw new Error(
      `The tests need ${wanted.name}, which is not on this machine: install ${wanted.elsewhere}`,
    );
  }
  install(wanted);
  const installed = look(wanted);
  if (installed === undefined) {
    throw new Error(
      `${wanted.debian} was installed, but ${wanted.program} is not where it should be`,
    );
  }
  return installed;
}

function look({ program, folders }: Wanted): string | undefined {
  const path_ = (process.env["PATH"] ?? "").split(path.delimiter);
  return [...folders(), ...path_]
    .map((folder) => path.join(folder, program))
    .find((file) => existsSync(file));
}

/** Folders whose names begin so, the highest version first. */
function versionsIn(folder: string, prefix = ""): string[] {
  if (!existsSync(folder)) return [];
  const number = (name: string): number => Number(/\d+/.exec(name)?.[0] ?? 0);
  return readdirSync(folder)
    .filter((name) => name.startsWith(prefix))
    .sort((a, b) => number(b) - number(a));
}

function mayInstall(): boolean {
  return (
    process.getuid?.() === 0 &&
    existsSync("/etc/debian_version") &&
    spawnSync("apt-get", ["--version"]).status === 0
  );
}

/** Installs a package without letting it start a service of its own. */
function install({ name, debian }: Wanted): void {
  console.warn(
    `The tests need ${name}, which is not on this machine: installing Debian's ${debian}`,
  );
  if (debian === "postgresql") {
    const settings = "/etc/postgresql-common/createcluster.conf";
    if (!existsSync(settings)) {
      mkdirSync(path.dirname(settings), { recursive: true });
      writeFileSync(settings, "create_main_cluster = false\n");
    }
  }
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  execFileSync("apt-get", ["update", "-q"], { env, stdio: "ignore" });
  execFileSync("apt-get", ["install", "-y", "-q", "--no-install-recommends", debian], {
    env,
    stdio: "ignore",
  });
}

/** Who may run PostgreSQL, which refuses to be run by root. */
export function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((entry) => entry.startsWith("postgres:"));
  const [, , uid, gid] = (line ?? "").split(":");
  if (uid === undefined || gid === undefined) {
    throw new Error("PostgreSQL refuses to be run by root, and there is no user named postgres");
  }
  return { uid: Number(uid), gid: Number(gid) };
}
