/**
 * In how many of a hundred prompts a word is said whatever the work is about, as far as that is known beforehand; what one
 * workspace keeps talking about is learned from its own prompts. As stems, as `wordsOf` gives them.
 */
export function everydayShare(word: string): number {
  if (oftenSaid.has(word)) return 0.03;
  return nowAndThenSaid.has(word) ? 0.009 : RARE_WORD_SHARE;
}

/** What a word that is in no list counts: about one prompt in 250. */
export const RARE_WORD_SHARE = 0.004;

/** Words of no subject, and words of every programmer's subject: in more than 15 of 1,000 prompts of real developers. */
const oftenSaid: ReadonlySet<string> = new Set(
  (
    "abl abov across action activ actual ad add after against agre ah ahead ai align all allow almost along " +
    "alreadi also although alway among amount anoth answer anybodi anyon anyth anyway anywher apart april around " +
    "asid ask august auto avail avoid away back bad base basic becam becaus becom befor began begin behind believ " +
    "belong below besid best better between beyond big bigger bit both bottom branch bring brought busi button " +
    "call came care carri case certain certainli chang check choos chose chosen class clean clear clearli cli " +
    "clone close code cold com come command commit common complet config configur confirm conflict contain " +
    "content context continu correct count coupl creat current data day deal decemb decid deep default defin " +
    "delet depend describ design detail detect differ difficult directli directori dirti discuss doc document " +
    "doubl earli earlier easi easili eight els empti enabl end english ensur equal error especi even eventu " +
    "everybodi everyon everyth everywher exact exactli exampl exist exit expect explain export extend extra fact " +
    "fail fals far fast featur februari feel felt file final find fine first five fix flag folder follow forget " +
    "format four free friday friend front full fulli function funni gave gener get git github give given go goe " +
    "gone good got gotten great group guess guy half handl happen happi hard hardli hear heard heavi held hello " +
    "help hey high higher hmm hold hope hot hour howev http huge hundr id idea implement import imposs improv " +
    "includ increas index input instead issu januari json juli june keep kept key kind knew know known larg last " +
    "late later lead learn leav left let level light like line link list littl live local log logic long longer " +
    "look lose lost lot low lower made main major make man manual march mark mayb md mean meant meanwhil meet men " +
    "mention merg messag method middl minor minut miss moment monday month morn mostli move multipl name near " +
    "nearli necessari need new next nice night nine nobodi none noon normal note noth notic novemb now nowher " +
    "number octob odd off often oh ok okay old onc onli onto open option order origin otherwis out output page " +
    "part partli pass path peopl perhap person pick piec place plan play pleas point possibl pr prefer prevent " +
    "previou probabl problem process project prompt provid put question quick quickli quit rare rather read readi " +
    "real realli reason recent reduc refer rememb remov replac repo report requir resolv result return review " +
    "right rough row run said saturday save saw say screen script second see seem seen send sent separ septemb " +
    "session set seven sever short shorter show shown side similar simpl simpli sinc singl six slow slowli small " +
    "smaller somebodi somehow someon someth sometim somewher soon sooner sorri sort speak special specif specifi " +
    "spoke start state statu stay step still stop strang strategi string strong structur stuff suddenli summari " +
    "sunday support suppos sure take taken talk target teach team tell ten test text thank then therefor thing " +
    "think third though thought thousand three thursday time today togeth told tomorrow tonight took top touch " +
    "toward track tri true tuesday turn twice two type understand understood unless up updat upon url useless " +
    "user usual valid valu variou version wait want warn way weak wednesday week weird well went wherea whether " +
    "while whole wide win wish within without woman wonder word work worri wors worst wow write written wrong " +
    "wrote ye year yesterday yet young"
  ).split(" "),
);

/** In 5 to 15 of 1,000. */
const nowAndThenSaid: ReadonlySet<string> = new Set(
  (
    "accept achiev aggreg appear appli approach architectur artifact behavior block break browser bug build " +
    "captur caus ci cleanup click codebas collect compar concurr confus consist constant core correctli cross " +
    "debug decis dev didn diff dir disabl discard display doesn down duplic dure edit either enough entri evalu " +
    "everi execut extens failur fallback fetch field finish forc found fresh global goal handler home hook ignor " +
    "indic inform initi insid instal instruct invalid isn job js latest layout lint load map match min mode model " +
    "modifi multi never non object packag pars pattern per pre privat properli pull push relat releas relev " +
    "remain remot renam repositori request reset respect respons role scope section setup silent simplifi skip " +
    "split standard store style sub submit suggest switch system task templat temporari through timestamp tmp " +
    "token tool total tree ts unknown usag verif verifi via view workspac yaml"
  ).split(" "),
);
