import { valueFlags } from "./programs.ts";

/** Which spellings of a flag are equivalent, and which flags take a value. */
export interface FlagTable {
  /** The canonical name of all spellings: `--force` for `-f` and `--force`. Null if the flag is not declared. */
  nameOf(flag: string): string | null;
  takesValue(flag: string): boolean;
  /** `-auto-approve` is one flag, not twelve. */
  readonly oneDash: boolean;
  /** True if all flags before the subcommand are declared, so that values and operands can be told apart. */
  readonly complete: boolean;
  readonly longNames: readonly string[];
  /** Another spelling of a flag, if it has one. */
  otherSpelling(flag: string): string | null;
}

/** Returns the flags declared for a program and for each level of its subcommands. */
export function flagTable(program: string, subcommands: readonly string[]): FlagTable {
  const key = [program, ...subcommands].join(" ");
  const known = tables.get(key);
  if (known) return known;
  const names = new Map<string, string>();
  const values = new Set<string>(valueFlags.get(program) ?? []);
  const others = new Map<string, string>();
  const commands = [program, ...subcommands.map((_, at) => [program, ...subcommands.slice(0, at + 1)].join(" "))];
  for (const command of commands) for (const word of (declared.get(command) ?? "").split(" ")) declare(word);
  function declare(word: string): void {
    if (word === "") return;
    const spellings = word.replace(/=$/, "").split("/").map(dashed);
    const name = spellings.at(-1) ?? "";
    for (const one of spellings) {
      names.set(one, name);
      values.delete(one);
      if (word.endsWith("=")) values.add(one);
    }
    const [first, second] = spellings;
    if (first === undefined || second === undefined) return;
    others.set(first, second);
    if (!others.has(second)) others.set(second, first);
  }
  const table: FlagTable = {
    nameOf: (flag) => names.get(flag) ?? null,
    takesValue: (flag) => values.has(flag),
    oneDash: oneDashPrograms.has(program),
    complete: declared.has(program),
    longNames: [...new Set(names.values())].filter((name) => name.startsWith("--")),
    otherSpelling: (flag) => others.get(flag) ?? null,
  };
  tables.set(key, table);
  return table;
}

/** Only commands named by rules are looked up, so this stays small. */
const tables = new Map<string, FlagTable>();

/** `f` is `-f`, `force` is `--force`. */
function dashed(name: string): string {
  return name.length === 1 ? `-${name}` : `--${name}`;
}

const oneDashPrograms: ReadonlySet<string> = new Set(
  "find go java javac terraform tofu packer ffmpeg ffprobe openssl xcodebuild convert magick identify gcc g++ cc c++ clang clang++ ld mvn mvnw gradle gradlew ant screen vault consul nomad".split(
    " ",
  ),
);

/**
 * `short/long`, with `=` if the flag takes a value. Contains documented flags that have two spellings or take a value;
 * all others are compared as written.
 */
const declared: ReadonlyMap<string, string> = new Map(
  Object.entries({
    git: "C= c= git-dir= work-tree= namespace= exec-path= config-env= super-prefix= p/paginate P/no-pager bare no-replace-objects no-lazy-fetch no-optional-locks no-advice literal-pathspecs glob-pathspecs noglob-pathspecs icase-pathspecs html-path man-path info-path v/version h/help",
    "git push":
      "f/force n/dry-run d/delete u/set-upstream q/quiet v/verbose 4/ipv4 6/ipv6 o/push-option= repo= receive-pack= exec= recurse-submodules= force-with-lease force-if-includes all branches mirror tags follow-tags no-verify prune atomic thin porcelain progress signed",
    "git commit":
      "a/all m/message= n/no-verify F/file= C/reuse-message= c/reedit-message= t/template= s/signoff v/verbose q/quiet e/edit p/patch i/include o/only S/gpg-sign u/untracked-files amend no-edit allow-empty author= date= fixup= squash= cleanup= trailer= reset-author dry-run short branch porcelain",
    "git merge": "n/no-stat m/message= F/file= s/strategy= X/strategy-option= q/quiet v/verbose e/edit S/gpg-sign",
    "git pull":
      "f/force r/rebase s/strategy= X/strategy-option= q/quiet v/verbose n/no-stat a/append t/tags p/prune k/keep j/jobs=",
    "git fetch":
      "f/force a/append t/tags n/no-tags p/prune P/prune-tags k/keep q/quiet v/verbose j/jobs= depth= deepen=",
    "git rebase":
      "i/interactive m/merge f/force-rebase n/no-stat q/quiet v/verbose r/rebase-merges s/strategy= X/strategy-option= x/exec= onto= S/gpg-sign",
    "git reset": "q/quiet p/patch N/intent-to-add hard soft mixed merge keep pathspec-from-file=",
    "git clean": "f/force d n/dry-run i/interactive q/quiet x X e/exclude=",
    "git checkout":
      "f/force q/quiet b= B= t/track l d/detach m/merge p/patch ours theirs orphan= conflict= pathspec-from-file=",
    "git switch": "f/force C/force-create= c/create= d/detach q/quiet t/track m/merge discard-changes orphan=",
    "git restore":
      "s/source= S/staged W/worktree q/quiet p/patch m/merge ours theirs conflict= pathspec-from-file= overlay",
    "git branch":
      "f/force d/delete D m/move M c/copy C r/remotes a/all l/list u/set-upstream-to= t/track q/quiet v/verbose i/ignore-case unset-upstream contains= merged no-merged sort= format=",
    "git tag": "f/force d/delete l/list a/annotate s/sign u/local-user= v/verify m/message= F/file= n i/ignore-case",
    "git add":
      "f/force A/all u/update n/dry-run v/verbose i/interactive p/patch e/edit N/intent-to-add pathspec-from-file= chmod=",
    "git rm": "f/force r n/dry-run q/quiet cached ignore-unmatch pathspec-from-file=",
    "git mv": "f/force k n/dry-run v/verbose",
    "git stash push": "u/include-untracked a/all k/keep-index p/patch S/staged q/quiet m/message=",
    "git clone": "b/branch= o/origin= u/upload-pack= c/config= j/jobs= q/quiet v/verbose n/no-checkout l/local depth=",
    "git cherry-pick": "e/edit m/mainline= n/no-commit s/signoff x X/strategy-option= S/gpg-sign",
    "git revert": "e/edit m/mainline= n/no-commit s/signoff X/strategy-option= S/gpg-sign",
    "git worktree remove": "f/force",
    "git worktree add": "f/force b= B= d/detach q/quiet",
    "git submodule update": "f/force q/quiet N/no-fetch j/jobs= init recursive remote",
    rm: "r/recursive R/recursive f/force i I d/dir v/verbose one-file-system no-preserve-root preserve-root interactive",
    cp: "r/recursive R/recursive f/force a/archive n/no-clobber i/interactive u/update v/verbose p l/link s/symbolic-link L/dereference P/no-dereference t/target-directory= T/no-target-directory S/suffix= b x/one-file-system",
    mv: "f/force n/no-clobber i/interactive u/update v/verbose t/target-directory= T/no-target-directory S/suffix= b",
    ln: "s/symbolic f/force n/no-dereference i/interactive v/verbose r/relative t/target-directory= T/no-target-directory L/logical P/physical",
    mkdir: "p/parents m/mode= v/verbose",
    rmdir: "p/parents v/verbose",
    chmod: "R/recursive f/silent v/verbose c/changes reference=",
    chown: "R/recursive f/silent v/verbose c/changes h/no-dereference H L P reference= from=",
    sed: "i/in-place n/quiet e/expression= f/file= E/regexp-extended r/regexp-extended s/separate z/null-data u/unbuffered",
    grep: "r/recursive R/dereference-recursive i/ignore-case v/invert-match n/line-number l/files-with-matches L/files-without-match c/count w/word-regexp x/line-regexp E/extended-regexp F/fixed-strings P/perl-regexp o/only-matching q/quiet s/no-messages h/no-filename H/with-filename e/regexp= f/file= m/max-count= A/after-context= B/before-context= C/context= include= exclude= exclude-dir=",
    curl: "X/request= d/data= H/header= o/output= O/remote-name L/location k/insecure s/silent S/show-error f/fail v/verbose i/include I/head u/user= A/user-agent= b/cookie= c/cookie-jar= e/referer= F/form= T/upload-file= x/proxy= m/max-time= w/write-out= G/get j/junk-session-cookies N/no-buffer K/config= E/cert= Z/parallel 4/ipv4 6/ipv6 data-raw= data-binary= data-urlencode= json= url= retry= connect-timeout= cacert= key= resolve=",
    wget: "O/output-document= q/quiet c/continue r/recursive P/directory-prefix= o/output-file= a/append-output= i/input-file= N/timestamping t/tries= T/timeout= U/user-agent= l/level= no-parent no-clobber no-verbose m/mirror p/page-requisites k/convert-links A/accept= R/reject= header= post-data= method= no-check-certificate",
    tar: "x/extract c/create t/list r/append u/update z/gzip j/bzip2 J/xz v/verbose f/file= C/directory= p/preserve-permissions k/keep-old-files O/to-stdout h/dereference T/files-from= X/exclude-from= P/absolute-names strip-components= exclude= a/auto-compress",
    zip: "r/recurse-paths q/quiet e/encrypt j/junk-paths m/move u/update d/delete x/exclude=",
    unzip: "o d= q l j n x= p",
    rsync:
      "a/archive v/verbose r/recursive n/dry-run z/compress u/update q/quiet c/checksum l/links p/perms t/times g/group o/owner e/rsh= h/human-readable P b/backup delete exclude= include= exclude-from= files-from= force progress partial",
    ssh: "i= p= l= o= F= J= L= R= D= W= b= c= e= m= E= I= S= w= Q= B= A a C f G g K k M N n q s T t V v X x Y y 4 6",
    scp: "i= P= o= F= J= S= c= l= r C p q v 3 4 6",
    kill: "s/signal= l/list L/table n=",
    pkill:
      "f/full x/exact u/euid= U/uid= s/session= t/terminal= P/parent= g/pgroup= n/newest o/oldest v/inverse signal= e/echo",
    killall: "s/signal= u/user= e/exact i/interactive q/quiet r/regexp w/wait I/ignore-case g/process-group",
    find: "",
    docker: "H/host= c/context= l/log-level= config= D/debug tls tlsverify tlscacert= tlscert= tlskey= v/version",
    "docker run":
      "d/detach i/interactive t/tty e/env= v/volume= p/publish= P/publish-all w/workdir= u/user= h/hostname= l/label= m/memory= c/cpu-shares= a/attach= q/quiet rm privileged name= network= env-file= entrypoint= mount= restart= platform= cpus= gpus= pull= add-host= cap-add= cap-drop= security-opt= device= tmpfs=",
    "docker exec": "d/detach i/interactive t/tty e/env= w/workdir= u/user= privileged env-file=",
    "docker build":
      "t/tag= f/file= q/quiet o/output= build-arg= target= platform= secret= ssh= cache-from= cache-to= label= network= progress= no-cache pull push load",
    "docker rm": "f/force l/link v/volumes",
    "docker container rm": "f/force l/link v/volumes",
    "docker rmi": "f/force no-prune",
    "docker image rm": "f/force no-prune",
    "docker volume rm": "f/force",
    "docker network rm": "f/force",
    "docker stop": "t/time= s/signal=",
    "docker kill": "s/signal=",
    "docker ps": "a/all q/quiet f/filter= n/last= l/latest s/size format= no-trunc",
    "docker logs": "f/follow t/timestamps n/tail= since= until=",
    "docker system prune": "a/all f/force filter= volumes",
    "docker image prune": "a/all f/force filter=",
    "docker volume prune": "a/all f/force filter=",
    "docker container prune": "f/force filter=",
    "docker network prune": "f/force filter=",
    "docker builder prune": "a/all f/force filter= keep-storage=",
    "docker compose":
      "f/file= p/project-name= profile= env-file= project-directory= ansi= progress= parallel= compatibility dry-run",
    "docker compose up":
      "d/detach V/renew-anon-volumes y/yes t/timeout= w/watch scale= build force-recreate remove-orphans wait",
    "docker compose down": "v/volumes t/timeout= rmi= remove-orphans",
    "docker compose rm": "f/force s/stop v/volumes",
    "docker compose run":
      "d/detach e/env= i/interactive T/no-TTY v/volume= p/publish= u/user= w/workdir= P/service-ports name= entrypoint= rm build",
    "docker compose exec": "d/detach e/env= T/no-TTY u/user= w/workdir= index= privileged",
    kubectl:
      "n/namespace= context= kubeconfig= cluster= user= s/server= token= as= as-group= request-timeout= v= certificate-authority= client-certificate= client-key= tls-server-name= cache-dir= insecure-skip-tls-verify match-server-version warnings-as-errors",
    "kubectl delete":
      "f/filename= k/kustomize= l/selector= A/all-namespaces R/recursive o/output= i/interactive all now force wait ignore-not-found grace-period= cascade= timeout= field-selector= dry-run",
    "kubectl apply":
      "f/filename= k/kustomize= l/selector= R/recursive o/output= prune force server-side all wait dry-run grace-period= timeout= field-manager=",
    "kubectl create": "f/filename= k/kustomize= R/recursive o/output= l/selector= edit save-config dry-run",
    "kubectl replace": "f/filename= k/kustomize= R/recursive o/output= force grace-period= timeout=",
    "kubectl get":
      "f/filename= k/kustomize= l/selector= A/all-namespaces o/output= w/watch L/label-columns= R/recursive field-selector= sort-by=",
    "kubectl exec": "c/container= i/stdin t/tty q/quiet f/filename=",
    "kubectl logs": "f/follow c/container= p/previous l/selector= since= tail= all-containers timestamps",
    "kubectl scale": "f/filename= k/kustomize= l/selector= R/recursive replicas= current-replicas= timeout= all",
    helm: "n/namespace= kube-context= kubeconfig= kube-apiserver= kube-token= registry-config= repository-cache= repository-config= debug",
    "helm install":
      "f/values= g/generate-name o/output= set= set-string= set-file= version= timeout= wait atomic dry-run",
    "helm upgrade":
      "f/values= i/install o/output= set= set-string= set-file= version= timeout= wait atomic force dry-run",
    npm: "w/workspace= ws/workspaces g/global s/silent q/quiet C/prefix= registry= loglevel= userconfig= globalconfig= cache= tag= access= otp= omit= include= location= scope= script-shell= f/force y/yes l/long p/parseable json dry-run ignore-scripts foreground-scripts",
    "npm install":
      "S/save P/save-prod D/save-dev O/save-optional B/save-bundle E/save-exact g/global f/force no-save legacy-peer-deps no-audit no-fund",
    "npm uninstall": "S/save D/save-dev g/global no-save",
    "npm run": "w/workspace= if-present",
    pnpm: "C/dir= F/filter= filter-prod= w/workspace-root r/recursive s/silent loglevel= reporter= color aggregate-output stream",
    "pnpm add": "D/save-dev P/save-prod O/save-optional E/save-exact g/global w/workspace-root",
    "pnpm install": "P/prod D/dev frozen-lockfile force offline prefer-offline",
    yarn: "cwd= silent verbose json modules-folder= registry=",
    "yarn add": "D/dev P/peer O/optional E/exact T/tilde C/caret W/ignore-workspace-root-check",
    pip: "q/quiet v/verbose log= proxy= retries= timeout= cert= client-cert= cache-dir= python= h/help V/version no-input isolated no-cache-dir",
    "pip install":
      "r/requirement= c/constraint= e/editable= t/target= U/upgrade I/ignore-installed i/index-url= extra-index-url= f/find-links= prefix= root= src= platform= user pre no-deps force-reinstall break-system-packages",
    "pip uninstall": "y/yes r/requirement= break-system-packages",
    cargo: "manifest-path= config= Z= C= color= q/quiet v/verbose V/version list explain= offline locked frozen",
    "cargo build": "r/release p/package= j/jobs= F/features= target= target-dir= profile= bin= example= workspace all",
    "cargo test":
      "r/release p/package= j/jobs= F/features= target= target-dir= profile= bin= test= workspace all no-run",
    "cargo run": "r/release p/package= j/jobs= F/features= target= target-dir= profile= bin= example=",
    "cargo publish":
      "n/dry-run p/package= j/jobs= F/features= token= index= registry= target= target-dir= no-verify allow-dirty",
    "cargo install": "f/force p/path= j/jobs= F/features= git= branch= tag= rev= version= root= bin= registry=",
    make: "C/directory= f/file= I/include-dir= o/old-file= W/what-if= j/jobs k/keep-going n/dry-run s/silent B/always-make i/ignore-errors t/touch e/environment-overrides",
    apt: "y/yes q/quiet f/fix-broken t/target-release= o/option= c/config-file= purge",
    "apt-get": "y/yes q/quiet f/fix-broken t/target-release= o/option= c/config-file= d/download-only purge",
    brew: "f/force v/verbose q/quiet d/debug n/dry-run",
    systemctl:
      "H/host= M/machine= t/type= p/property= s/signal= n/lines= o/output= a/all l/full f/force q/quiet user system global now",
    psql: "c/command= f/file= d/dbname= h/host= p/port= U/username= o/output= v/variable= W/password w/no-password q/quiet t/tuples-only A/no-align X/no-psqlrc 1/single-transaction",
    mysql: "e/execute= D/database= h/host= P/port= u/user= p/password B/batch N/skip-column-names s/silent",
    bash: "c l/login i x e u v n r o= O= rcfile= init-file= norc noprofile posix",
    sh: "c l i x e u v n o=",
    zsh: "c l/login i x e u v n o= f",
    node: "e/eval= p/print= r/require= i/interactive c/check C/conditions= import= loader= env-file= inspect test watch",
    python: "m= c= W= X= u B O E I s S v q i b d P",
    python3: "m= c= W= X= u B O E I s S v q i b d P",
    gh: "R/repo= hostname=",
    "gh pr merge":
      "s/squash m/merge r/rebase d/delete-branch b/body= t/subject= F/body-file= A/author-email= auto admin match-head-commit= disable-auto",
    "gh repo delete": "yes",
  }),
);
