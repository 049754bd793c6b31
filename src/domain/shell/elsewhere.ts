import type { ShellCommand } from "./command.ts";

/** Programs that run a command, or look for files, on another machine or in a container. */
const always: ReadonlySet<string> = new Set(
  "ssh scp sftp rsync mosh docker docker-compose podman podman-compose nerdctl vagrant adb wsl lxc incus fly flyctl heroku distrobox toolbox multipass limactl chroot systemd-nspawn".split(
    " ",
  ),
);

/** Clients of a server. They read files of this machine, unless they run a command over there. */
const clients: ReadonlySet<string> = new Set("kubectl oc gcloud aws az railway render".split(" "));

const runningThere = /^(?:exec|run|debug|attach|cp|ssh|scp|shell|rsh|rsync|run-command|execute-command|start-session)$/;

/** True if the command does its work on another machine or in a container: this disk says nothing about it. */
export function runsElsewhere({ program, words }: Pick<ShellCommand, "program" | "words">): boolean {
  if (always.has(program)) return true;
  if (!clients.has(program)) return false;
  const own = words.indexOf("--");
  return words.slice(1, own === -1 ? undefined : own).some((word) => runningThere.test(word));
}

/** True if, in addition, its operands may be names of another place: `aws s3 cp s3://…`, `kubectl get pods`. */
export function namesThingsElsewhere(command: Pick<ShellCommand, "program" | "words">): boolean {
  return always.has(command.program) || clients.has(command.program);
}
