/**
 * Files that other programs run by themselves, whatever the workspace is: at the start of a shell, a desktop, a system or a
 * program, at a time, or by git. They are one list, for the tools that change files and for the sandbox.
 */

/** True for a full path in the form of `foldPath`. `workspace` and `userHome` are in that form too. */
export function isStartedPath(
  path: string,
  {
    workspace,
    userHome,
    programs,
  }: Readonly<Record<"workspace" | "userHome", string>> & {
    /** Folders where programs are looked for (PATH). */
    readonly programs: readonly string[];
  },
): boolean {
  const parts = path.split("/");
  const isBelow = (folder: string, one: string) => one === folder || one.startsWith(`${folder}/`);
  return (
    startedNames.has(parts.at(-1) ?? "") ||
    parts.some((part) => startedFolders.has(part)) ||
    projectFiles.has(parts.at(-1) ?? "") ||
    startedPatterns.test(path) ||
    [...startedPlaces, ...startedFilePlaces, ...projectFolders].some((place) =>
      `${path}/`.includes(`/${place.toLowerCase()}/`),
    ) ||
    (isBelow(workspace, userHome) && path.startsWith(`${userHome}/.`)) ||
    homePrograms.some((name) => isBelow(`${userHome}/${name}`, path)) ||
    (isBelow("/etc", path) && systemStart.test(path)) ||
    [...systemFolders, ...programs].some((folder) => isBelow(folder, path) && !isBelow(folder, workspace))
  );
}

const startedNames: ReadonlySet<string> = new Set(
  (
    ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .mkshrc " +
    ".cshrc .tcshrc .login .logout .inputrc .xinitrc .xsession .xsessionrc .xprofile .envrc .gitconfig .vimrc .gvimrc .exrc .emacs " +
    ".tmux.conf .screenrc .gdbinit .lldbinit .irbrc .pryrc .pdbrc .rprofile .psqlrc .sqliterc .pam_environment crontab " +
    "usercustomize.py sitecustomize.py"
  ).split(" "),
);

/** Of a project: git, an editor, a package manager or a build server runs by itself what they name. */
export const startedInProject: { readonly folders: readonly string[]; readonly files: readonly string[] } = {
  folders: [".devcontainer", ".github/workflows"],
  files: (
    "lefthook.yml lefthook.yaml .lefthook.yml .lefthook.yaml lefthook-local.yml .pre-commit-config.yaml .yarnrc.yml .devcontainer.json " +
    "mise.toml .mise.toml mise.local.toml .mise.local.toml .nvim.lua .nvimrc .exrc .dir-locals.el .dir-locals-2.el .gitlab-ci.yml"
  ).split(" "),
};
const projectFiles: ReadonlySet<string> = new Set(startedInProject.files);
const projectFolders = startedInProject.folders;

/** Wherever they are. */
const startedFolders: ReadonlySet<string> = new Set(
  ".husky .githooks .bashrc.d .zshrc.d .oh-my-zsh .vim .emacs.d launchagents launchdaemons crontabs cron.d cron.hourly cron.daily cron.weekly cron.monthly".split(
    " ",
  ),
);

/** Folders that mean this by where they are. Those of the user's home begin with a dot. */
const startedPlaces: readonly string[] = [
  ...(
    ".config/autostart .config/autostart-scripts .config/systemd .config/environment.d .config/fish .config/zsh .config/git " +
    ".config/nvim .config/tmux .config/plasma-workspace .config/direnv .local/share/systemd .local/share/applications .local/share/dbus-1 " +
    ".local/bin"
  ).split(" "),
  ...(
    ".cargo/bin .pyenv/shims .bun/bin .deno/bin .npm-global/bin .gradle/init.d .config/i3 .config/sway .config/hypr .config/emacs " +
    ".local/share/nautilus/scripts"
  ).split(" "),
  "windows/start menu/programs/startup",
];

/** Files that mean this by where they are. */
const startedFilePlaces: readonly string[] =
  ".nvm/nvm.sh .cargo/config.toml .cargo/config .gradle/init.gradle .config/Code/User/settings.json .config/Code/User/tasks.json".split(
    " ",
  );

const startedPatterns = /\/(?:site|dist)-packages\/[^/]+\.pth$|\.code-workspace$/;

/** Folders of programs below the user's home. */
const homePrograms: readonly string[] = ["bin", "go/bin"];

const systemStart =
  /^\/etc\/(?:profile|profile\.d|bash\.bashrc|bashrc|zsh|zshrc|zshenv|environment|init\.d|rc\.local|systemd|xdg\/autostart|ld\.so\.preload|sudoers|sudoers\.d|udev|pam\.d)(?:\/|$)/;

/** A workspace in one of them, such as /usr/src/app, is not protected from its own agent. */
const systemFolders = "/etc /usr /bin /sbin /lib /lib64 /boot /opt /var/spool /system /library".split(" ");

/** What a sandboxed command must neither create nor change in the user's home, where that is part of the workspace. */
export const startedInHome: { readonly folders: readonly string[]; readonly files: readonly string[] } = {
  folders: [
    ...startedPlaces.filter((place) => place.startsWith(".")),
    ...[...startedFolders].filter((name) => name.startsWith(".")),
    "Library/LaunchAgents",
    // Python loads files of its packages at each start.
    ".local/lib",
    ...homePrograms,
  ],
  files: [...[...startedNames].filter((name) => name.startsWith(".")), ...startedFilePlaces],
};
