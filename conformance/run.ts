import { startServer } from "./processes.js";
import { type Judged, ROOT, judgeClient, judgeServer } from "./referee.js";
import { SCENARIOS } from "./scenarios.js";

const server = await startServer("conformance/dist/server.js", ROOT);
const judged: Judged[] = [];
try {
  judged.push(...(await judgeServer(server.url, SCENARIOS.server)));
} finally {
  await server.stop();
}
judged.push(...(await judgeClient("conformance/dist/client.js", SCENARIOS.client)));

const failed = judged.filter(({ problems }) => problems.length > 0);
const width = Math.max(...judged.map(({ scenario }) => scenario.length));
for (const { leg, scenario, passed, problems } of judged) {
  const outcome = problems.length === 0 ? "pass" : "FAIL";
  console.log(`${leg}  ${scenario.padEnd(width)}  ${String(passed).padStart(3)}  ${outcome}`);
}
for (const { leg, scenario, problems } of failed) {
  console.log(`\n${leg} ${scenario}`);
  for (const problem of problems) console.log(`  ${problem.replaceAll("\n", "\n  ")}`);
}
console.log(`\n${judged.length - failed.length} of ${judged.length} scenarios passed`);
if (failed.length > 0) process.exitCode = 1;
