/*
 * Runs a server for a test run and ends with it: node keeper.mjs WATCHED_PID JSON, where JSON is
 * { command, args, uid, gid, stop, log }. The server is told to stop when this process is, or when
 * the watched process is gone, and killed if it does not.
 */
import { spawn } from "node:child_process";
import { openSync } from "node:fs";

const [watched, text] = process.argv.slice(2);
const { command, args, uid, gid, stop, log } = JSON.parse(text);
const output = openSync(log, "a");
const server = spawn(command, args, { uid, gid, stdio: ["ignore", output, output] });

let ending = false;
function end() {
  if (ending) return;
  ending = true;
  server.kill(stop);
  setTimeout(() => server.kill("SIGKILL"), 5_000).unref();
}

server.on("error", () => process.exit(1));
server.on("exit", () => process.exit(0));
process.on("SIGTERM", end);
process.on("SIGINT", end);
setInterval(() => {
  try {
    process.kill(Number(watched), 0);
  } catch {
    end();
  }
}, 500);
