/**
 * The share of prompts that contain a word, whatever the work is about. Words frequent in one workspace are learned
 * from its prompts instead. Expects a stem, as `tokenise` returns it.
 */
export function everydayShare(word: string): number {
  if (oftenSaid.has(word)) return 0.03;
  if (nowAndThenSaid.has(word)) return 0.01;
  return tradeWords.has(word) ? 0.005 : RARE_WORD_SHARE;
}

/** The share of a word that is in no list: about one prompt in 500. */
export const RARE_WORD_SHARE = 0.002;

/** True if a word is common in any project, so that it says nothing about this one. */
export function isUsualWord(word: string): boolean {
  return everydayShare(word) > RARE_WORD_SHARE;
}

/** General words and every programmer's words: in more than 15 of 1,000 prompts of real developers. */
const oftenSaid: ReadonlySet<string> = new Set(
  (
    "abl abov accord across action activ actual ad add after against ago agre ah ahead ai align all allow almost " +
    "alon along alreadi also although alway among amongst amount anoth answer anybodi anyon anyth anyway anywher " +
    "apart april around asid ask august auto avail avoid away back bad base basic becam becaus becom befor began " +
    "begin behind believ belong below besid best better between beyond big bigger bit both bottom branch bring " +
    "brought busi button call came care carri case certain certainli chang check choos chose chosen class clean " +
    "clear clearli cli clone close code cold com come command commit common complet config configur confirm conflict " +
    "contain content context continu correct count coupl creat current data day deal decemb decid deep default defin " +
    "delet depend describ design despit detail detect differ difficult directli directori dirti discuss doc document " +
    "doubl down due dure earli earlier easi easili eight either els empti enabl end english enough ensur equal error " +
    "especi even eventu ever everi everybodi everyon everyth everywher exact exactli exampl exist exit expect " +
    "explain export extend extra fact fail fals far fast featur februari feel felt file final find fine first five " +
    "fix flag folder follow forget format four free friday friend front full fulli function funni further gave gener " +
    "get git github give given go goe gone good got gotten great group guess guy half handl happen happi hard hardli " +
    "hear heard heavi held hello help herself hey high higher himself hmm hold hope hot hour howev http huge hundr " +
    "id idea implement import imposs improv includ increas index input insid instead issu itself januari json juli " +
    "june keep kept key kind knew know known larg last late later lead learn least leav left less let level light " +
    "like line link list littl live local log logic long longer look lose lost lot low lower made main major make " +
    "man mani manual march mark mayb md mean meant meanwhil meet men mention merg messag method middl minor minut " +
    "miss moment monday month morn mostli move much multipl myself name near nearli necessari need neither never new " +
    "next nice night nine nobodi none noon nor normal note noth notic novemb now nowher number octob odd off often " +
    "oh ok okay old on onc onli onto open option order origin other otherwis ourselv out output outsid page part " +
    "partli pass path peopl per perhap person pick piec place plan play pleas point possibl pr prefer prevent " +
    "previou probabl problem process project prompt provid put question quick quickli quit rare rather read readi " +
    "real realli reason recent reduc refer rememb remov replac repo report requir resolv result return review right " +
    "rough row run said saturday save saw say screen script second see seem seen send sent separ septemb session set " +
    "seven sever short shorter show shown side similar simpl simpli sinc singl six slow slowli small smaller " +
    "somebodi somehow someon someth sometim somewher soon sooner sorri sort speak special specif specifi spoke start " +
    "state statu stay step still stop strang strategi string strong structur stuff suddenli summari sunday support " +
    "suppos sure take taken talk target teach team tell ten test text thank themselv then therefor thing think third " +
    "though thought thousand three through throughout thu thursday time today togeth told tomorrow tonight took top " +
    "touch toward track tri true tuesday turn twice two type understand understood unless until up updat upon url us " +
    "useless user usual valid valu variou version via wait want warn way weak wednesday week weird well went wherea " +
    "whether while whole whose wide win wish within without woman wonder word work worri wors worst wow write " +
    "written wrong wrote ye year yesterday yet young yourself"
  ).split(" "),
);

/** In 5 to 15 of 1,000 prompts. */
const nowAndThenSaid: ReadonlySet<string> = new Set(
  (
    "accept achiev aggreg appear appli approach architectur artifact behavior block break browser bug build captur " +
    "caus ci cleanup click codebas collect compar concurr confus consist constant core correctli cross debug decis " +
    "dev didn diff dir disabl discard display doesn duplic edit entri evalu execut extens failur fallback fetch " +
    "field finish forc found fresh global goal handler home hook ignor indic inform initi instal instruct invalid " +
    "isn job js latest layout lint load map match min mode model modifi multi non object packag pars pattern pre " +
    "privat properli pull push relat releas relev remain remot renam repositori request reset respect respons role " +
    "scope section setup silent simplifi skip split standard store style sub submit suggest switch system task " +
    "templat temporari timestamp tmp token tool total tree ts unknown usag verif verifi view workspac yaml"
  ).split(" "),
);

/** General programming terms. Collected by hand, not counted in prompts. */
const tradeWords: ReadonlySet<string> = new Set(
  (
    "abort abstract accent accessor acronym adapt address admin algorithm alia alloc alpha alphabet analyt anchor " +
    "android angl angular anim annot anonym ansibl api apk app append applet applic arc archiv argument array arrow " +
    "ascii assembl assert asset assign async asynchron atom attach attribut audit auth authent author autocomplet " +
    "autom automat avatar averag aw axi azur backend background backlog backslash backtick backup backward badg " +
    "bandwidth banner bar baselin bash batch benchmark beta bin binari bind bitmap blank bloat blob blue board bodi " +
    "bold bool boolean boot bootstrap border bottleneck bounc bound box brace bracket breadcrumb breakpoint bridg " +
    "broadcast broken broker bucket buffer bullet bundl bundler byte cach calcul callback camel cancel canva capit " +
    "carousel cascad cast categori cell center centr central certif chain channel charact chart checkbox checker " +
    "checkout checksum child children chip chmod choic chrome chunk cipher circl circuit circular clamp classpath " +
    "claus cleaner client clipboard clock closur cloud cluster cmake coalesc codec coerc collaps collector color " +
    "colour column combin combobox comma comment committ compact comparison compat compil compon compos compress " +
    "comput concat concaten condit connect connector consol const constraint constructor contrast control convent " +
    "convers convert cooki coordin copi cor corner corrupt counter cover coverag cpu crash crawler credenti cron crud " +
    "css csv cube curl cursor curv custom cycl daemon dag dark dart dash dashboard databas datafram dataset date " +
    "datetim deadlock debounc debugg decim declar decod decor decreas decrypt dedup dedupl defer degre delay deleg " +
    "delimit demo dens deploy deprec depth descend descript descriptor deseri destin destroy destructor devic dialog " +
    "dict dictionari digest digit dimens direct disk dispatch distanc distinct distribut div divid django dn docker " +
    "dockerfil docstr dollar dom domain dot download draft drag draw drawer driver drop dropdown dto durat dynam edg " +
    "editor effect effici elast element ellipsi email emb emit emoji emul encod encrypt endpoint engin enter entiti " +
    "enum environ escap eslint estim eval event except exclud expand expir explicit exponenti expos express extract " +
    "extractor facad factori fade fake favicon feed feedback figur filenam filesystem fill filter finder firefox " +
    "firewal fixtur flaki flash flat flatten flex flip float flow flush flutter focu font footer forbidden foreign " +
    "fork form formatt formula forward fragment frame framework freez frequenc frontend fullscreen garbag gateway " +
    "getter gif gitignor gitlab golang gpu gradient grammar graph graphic graphql green grep grey grid gui gutter " +
    "gzip hamburg hang hardcod hardwar hash hashmap haskel head header headless heap height helper hex hidden hide " +
    "hierarchi highlight histogram horizont host hostnam hotfix hover html hyphen icon idempot identifi idl illeg " +
    "imag immut implicit increment indent infer infinit inherit initialis inject inlin inner insert inspect inspector " +
    "instanc int integ integr interact interceptor interfac interleav intern interpol interpret interrupt interv " +
    "intro invers invok io iso ital item iter jar java javadoc javascript jest join jpeg jpg jq jqueri junit jwt " +
    "kernel keyboard keyword kotlin kubectl label lag lambda languag laptop latenc launch layer lazi leak legaci " +
    "legend length lexer lib librari lifecycl limit linear linker linter linux listen liter loader localhost lock " +
    "logger login logo logout lookup loop lru mac machin maco macro mail mailbox makefil malloc manag manifest mapper " +
    "margin markdown mask matcher math matrix max maximum measur median memoiz memori menu meta metadata metric " +
    "middlewar migrat mime minifi minimum mirror mixin mocha mock modal modul modulo monitor monorepo mount mous " +
    "mutabl mutat mutex mvn namespac nativ nav navbar navig neg nest net network node nodej nois nonc notebook npm " +
    "null nullabl numer numpi oauth observ offlin offset onlin opac opaqu openapi oper operand optim optimis orchestr " +
    "orm orphan outer outlin overflow overlap overlay overload overrid overwrit owner packet pad pagin pair palett " +
    "panda panel panic paragraph parallel param paramet parent parenthesi parser partial partit password past patch " +
    "paus payload pdf peer percent percentag perform permiss persist php picker pid pie pin ping pip pipe pipelin " +
    "pixel placehold plain platform plot plugin plural png pod pointer polici poll polygon polymorph pool pop popup " +
    "port portal posit post postgr postgresql pragma precis predic prefix preload preprocess prettier preview primari " +
    "primit print printer prioriti privileg probe processor profil progress promis prop properti protect protocol " +
    "prototyp proxi pseudo public publish purg pypi pytest python qa queri queue quicksort quot quota race radiu ram " +
    "random rang rate ratio raw react readabl reader readm readonli rebas reboot receiv record rectangl recurs red " +
    "redirect redund ref refactor refresh regex region regist registri regress reject rel reload render repeat replic " +
    "replica resiz resolut resourc respond rest restart restor retri reus revers revert rewrit rgb rich rollback root " +
    "rotat round rout router rss rubi ruff rule runner runtim rust safari sampl sandbox sass scala scalar scale " +
    "scanner schedul schema score scrape screenshot scroll scrollbar sdk search secret seed segfault segment select " +
    "selector semant semaphor semicolon sender sentenc sequenc sequenti serial server serverless servic setter shadow " +
    "shard share sheet shell shift shortcut shutdown sibl sidebar sign signal signatur signup simul singleton sitemap " +
    "size skeleton slash sleep slice slide slider slot smooth snackbar snake snapshot snippet socket softwar solid " +
    "sourc space span spec spi spinner splice spreadsheet spring sprint sql sqlite squar ssh ssl stabl stack stale " +
    "stash statement static statist sticki storag stream strict stub stylesheet subclass subject submodul subscrib " +
    "subscript subset substr subtitl suffix suit sum superclass supervisor svelt svg swap swift swipe symbol symlink " +
    "sync synchron syntax tab tabl tablet tag tail tailwind tar teardown telemetri termin ternari textarea theme " +
    "thread threshold throttl throughput throw thumbnail timeout timer timezon tint titl toast todo toggl tooltip " +
    "topic trace traceback tracker trail trait transact transfer transform transit translat transpar travers trigger " +
    "trim truncat tupl tweak typescript typo ubuntu ui unari undefin underlin underscor undo unicod uninstal union " +
    "uniqu unit unix unlock unmount unresolv unsign unus upgrad upload uppercas uptim uri usernam utc utf util uuid " +
    "var variabl variant vector verbos vertic viewport virtual visibl visual vite vm volum vpn vscode vue vulner " +
    "watch watcher web webhook webpack webpag websit websocket whitelist whitespac widget width wiki wildcard window " +
    "wizard worker workflow wrap wrapper writer xcode xml yarn yml zero zip zone zoom zsh"
  ).split(" "),
);
