import { posix, win32 } from "node:path";

/** What starts `oldhand run` with the user's session: the file and the commands that make the system read it. */
export interface ServiceUnit {
  readonly path: string;
  readonly text: string;
  readonly start: readonly (readonly string[])[];
  readonly stop: readonly (readonly string[])[];
  /** What every version of this file for this mind contains. */
  readonly marks: readonly string[];
}

export interface ServiceSituation {
  readonly platform: NodeJS.Platform;
  /** The user's home folder. */
  readonly userHome: string;
  readonly userId: number;
  /** Node and the program, as absolute paths. */
  readonly node: string;
  readonly program: string;
  /** The home of the mind. */
  readonly home: string;
  /** `XDG_CONFIG_HOME`, if it is set. */
  readonly configHome: string | undefined;
  /** Where programs are found. A service has a shorter list than a shell, and would not find those of a job's command. */
  readonly searchPath: string;
  /** `OLDHAND_MACHINE`, if it is set: under another name, the worker would not run the jobs of this machine. */
  readonly machine: string | undefined;
}

/** What the service has of the environment. A Windows task can have none of it. */
function listVariables({ searchPath, machine }: ServiceSituation): readonly (readonly [name: string, value: string])[] {
  return [["PATH", searchPath], ...(machine ? [["OLDHAND_MACHINE", machine] as const] : [])];
}

/** Null if oldhand knows no service manager of this system. */
export function makeServiceUnit(situation: ServiceSituation): ServiceUnit | null {
  switch (situation.platform) {
    case "linux":
      return systemdUnit(situation);
    case "darwin":
      return launchdAgent(situation);
    case "win32":
      return windowsTask(situation);
    default:
      return null;
  }
}

function systemdUnit(situation: ServiceSituation): ServiceUnit {
  const { userHome, configHome, node, program, home } = situation;
  const systemctl = (...args: readonly string[]) => ["systemctl", "--user", ...args];
  const command = [node, program, "run", "--home", home].map((word) => quoteForSystemd(word)).join(" ");
  const variables = listVariables(situation).map(
    ([name, value]) => `Environment=${quoteForSystemd(`${name}=${value}`, "value")}`,
  );
  return {
    path: posix.join(configHome ?? posix.join(userHome, ".config"), "systemd", "user", "oldhand.service"),
    text: `[Unit]
Description=oldhand: scheduled jobs

[Service]
${variables.join("\n")}
ExecStart=${command}
Restart=on-failure
RestartSec=10
Nice=10

[Install]
WantedBy=default.target
`,
    start: [systemctl("daemon-reload"), systemctl("enable", "--now", "oldhand.service")],
    stop: [systemctl("disable", "--now", "oldhand.service"), systemctl("daemon-reload")],
    marks: ["Description=oldhand: scheduled jobs", quoteForSystemd(home)],
  };
}

/** `%` begins a placeholder everywhere in a unit file, `$` a variable in a command. */
function quoteForSystemd(word: string, as: "word" | "value" = "word"): string {
  const escaped = word.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%");
  return `"${as === "word" ? escaped.replaceAll("$", "$$$$") : escaped}"`;
}

const LABEL = "dev.oldhand.run";

function launchdAgent(situation: ServiceSituation): ServiceUnit {
  const { userHome, userId, node, program, home } = situation;
  const path = posix.join(userHome, "Library", "LaunchAgents", `${LABEL}.plist`);
  const words = [node, program, "run", "--home", home].map((word) => `    <string>${escapeXml(word)}</string>`);
  const variables = listVariables(situation).map(
    ([name, value]) => `    <key>${name}</key>\n    <string>${escapeXml(value)}</string>`,
  );
  return {
    path,
    text: `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${words.join("\n")}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${variables.join("\n")}
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ProcessType</key>
  <string>Background</string>
</dict>
</plist>
`,
    start: [["launchctl", "bootstrap", `gui/${userId}`, path]],
    stop: [["launchctl", "bootout", `gui/${userId}/${LABEL}`]],
    marks: [LABEL, `<string>${escapeXml(home)}</string>`],
  };
}

const TASK = "oldhand run";

function windowsTask({ node, program, home }: ServiceSituation): ServiceUnit {
  const path = win32.join(home, "oldhand-run.xml");
  const words = [program, "run", "--home", home].map((word) => `"${word}"`).join(" ");
  return {
    path,
    text: `<?xml version="1.0" encoding="UTF-8"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>oldhand: scheduled jobs</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <Enabled>true</Enabled>
    </LogonTrigger>
  </Triggers>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>10</Count>
    </RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>${escapeXml(node)}</Command>
      <Arguments>${escapeXml(words)}</Arguments>
    </Exec>
  </Actions>
</Task>
`,
    start: [
      ["schtasks", "/Create", "/F", "/TN", TASK, "/XML", path],
      ["schtasks", "/Run", "/TN", TASK],
    ],
    stop: [
      ["schtasks", "/End", "/TN", TASK],
      ["schtasks", "/Delete", "/F", "/TN", TASK],
    ],
    marks: ["oldhand: scheduled jobs", escapeXml(`"${home}"`)],
  };
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
