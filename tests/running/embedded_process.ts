// A process that uses the embedded database like the server: it prints what it does, writes rows
// on request, and releases the database on SIGTERM.
import { connect } from "../../db/connect.ts";
import { start } from "../../db/embedded/mod.ts";

const [dataDir = "", task = "hold"] = process.argv.slice(2);
// A ctrl-C to the whole process group starts the shutdown; it must not reach PostgreSQL.
process.on("SIGINT", () => {});
process.on("SIGTERM", leave);
setInterval(() => {}, 1_000);

const database = await start(dataDir, (line) => console.log(line));
console.log(`pid ${database.pid}`);
if (task === "write") await write();

async function leave(): Promise<void> {
  await database.stop();
  process.exit(0);
}

async function write(): Promise<never> {
  const sql = connect(database, 1);
  await sql`create table if not exists written (number int primary key)`;
  for (let number = 1; ; number++) {
    await sql`insert into written values (${number})`;
    console.log(`wrote ${number}`);
  }
}
