/**
 * English words whose forms have other stems: each base form with its other forms. Without forms that are as often
 * another word, such as `rose`. A dictionary would be larger than the package.
 */
const words =
  "become became|begin began begun|bend bent|bite bitten|bleed bled|blow blew blown|break broke broken|breed bred|" +
  "bring brought|build built|burn burnt|buy bought|catch caught|choose chose chosen|cling clung|come came|creep crept|" +
  "deal dealt|dig dug|draw drew drawn|dream dreamt|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|" +
  "feed fed|feel felt|fight fought|find found|flee fled|fling flung|fly flew flown|forget forgot forgotten|" +
  "forgive forgave forgiven|freeze froze frozen|get got gotten|give gave given|go goes went gone|grow grew grown|" +
  "hang hung|hear heard|hide hid hidden|hold held|keep kept|kneel knelt|know knew known|lay laid|lead led|learn learnt|" +
  "leave left|lend lent|light lit|lose lost|make made|mean meant|meet met|mistake mistook mistaken|" +
  "overcome overcame|pay paid|prove proven|ride rode ridden|ring rang rung|rise risen|run ran|say said|see saw seen|" +
  "seek sought|sell sold|send sent|sew sewn|shake shook shaken|shine shone|shoot shot|show shown|sing sang sung|" +
  "sink sank sunk|sit sat|sleep slept|slide slid|speak spoke spoken|spend spent|spin spun|spring sprang sprung|" +
  "stand stood|steal stole stolen|stick stuck|sting stung|strike struck|swear swore sworn|sweep swept|swim swam swum|" +
  "swing swung|take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown|" +
  "understand understood|wake woke woken|wear wore worn|weep wept|win won|withdraw withdrew withdrawn|write wrote written|" +
  "child children|foot feet|goose geese|half halves|knife knives|loaf loaves|man men|mouse mice|person people|" +
  "shelf shelves|thief thieves|tooth teeth|wife wives|wolf wolves|woman women";

/** The base form of each irregular form. */
export const baseForms: ReadonlyMap<string, string> = new Map(
  words.split("|").flatMap((group) => {
    const [base = "", ...forms] = group.split(" ");
    return forms.map((form) => [form, base] as const);
  }),
);
