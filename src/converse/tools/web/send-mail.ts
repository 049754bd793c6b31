import { createTransport } from "nodemailer";
import { errorMessage } from "../../../lib/errors.ts";
import type { ToolContext, ToolResult } from "../tool.ts";
import type { MailInput, MailSettings } from "./mail.ts";

/** Its library is large: import this module where it is needed. */
export async function sendMail(
  ctx: ToolContext,
  settings: MailSettings,
  { to, subject, text }: MailInput,
): Promise<ToolResult> {
  const { host, port, user, password, from, plain } = settings;
  const transport = createTransport({
    ...{ host, port, secure: port === 465, requireTLS: !plain && port !== 465, ignoreTLS: plain },
    ...(user === "" ? {} : { auth: { user, pass: password ?? "" } }),
    // A text must never be read from a file or an address.
    ...{ disableFileAccess: true, disableUrlAccess: true },
    ...{ connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS },
  });
  const stop = () => transport.close();
  ctx.signal.addEventListener("abort", stop, { once: true });
  try {
    const { accepted, rejected } = await transport.sendMail({ from, to: [...to], subject, text });
    if (rejected.length > 0)
      return { ok: false, text: `Sent to ${accepted.join(", ") || "nobody"}; rejected: ${rejected.join(", ")}.` };
    return { ok: true, text: `Sent to ${accepted.join(", ")}.` };
  } catch (error) {
    return { ok: false, text: `Not sent: ${errorMessage(error)}` };
  } finally {
    ctx.signal.removeEventListener("abort", stop);
    transport.close();
  }
}

const TIMEOUT_MS = 30_000;
