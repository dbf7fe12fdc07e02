// What cadastre doctor and the page of admins say about mails; nothing if there is no mail server in the settings.
import type { SQL } from "bun";
import type { Config } from "../config.ts";
import { type Finding, ok, problem } from "./finding.ts";

export async function* mailFindings(sql: SQL, { mail }: Config): AsyncGenerator<Finding> {
  if (!mail) return;
  const server = `${mail.host}:${mail.port}`;
  const [{ waiting, failed, trouble }] = await sql`
    select count(*) filter (where status = 'waiting' and trouble is not null)::int as waiting,
      count(*) filter (where status = 'failed' and finished_at > now() - interval '7 days')::int as failed,
      (array_agg(trouble order by id desc) filter (where trouble is not null))[1] as trouble
    from mails`;
  if (waiting + failed === 0)
    return yield ok(`Mails are sent by ${server}, as ${mail.from.address}`);
  const counts = [
    ...(waiting > 0 ? [`waiting for another attempt: ${waiting}`] : []),
    ...(failed > 0 ? [`given up within seven days: ${failed}`] : []),
  ].join(", ");
  const kind = mail.tls === "starttls" ? "-starttls smtp " : "";
  yield problem(
    `Mails by ${server} ${counts}; the last error: ${trouble}`,
    mail.tls === "off"
      ? `nc ${mail.host} ${mail.port}`
      : `openssl s_client ${kind}-connect ${server} -verify_return_error`,
  );
}
