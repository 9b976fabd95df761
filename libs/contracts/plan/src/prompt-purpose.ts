/**
 * Purpose of a prompt: a `request` describes the wanted rows or changes the previous ones; a `question` asks about past
 * results; `small_talk` is thanks, a greeting or praise; `export` and `undo` are commands that a prompt does not perform.
 */
export type PromptPurpose = 'request' | 'question' | 'small_talk' | 'export' | 'undo';

const OPENING = String.raw`^\W*(?:(?:and|but|so|ok|okay|hm+|um+|wait|hey|hi|hello|sorry|please|quick question)\b[\s,:.!-]*)*`;
const WAS = '(?:is|are|was|were|did|does|do|has|have|had)';
/** Words for the result of the previous run. */
const SHOWN =
  '(?:it|this|that|these|those|they|them|the (?:run|search|table|list|rows?|results?|filters?|last one|first one|one before))';
/** Words for the previous result or a participant. */
const RESULT = `(?:${SHOWN}|there|you|we|i)`;

/** Question about past results: no request for rows starts like this. */
const QUESTION = new RegExp(
  [
    String.raw`${OPENING}(?:why|how come|what for|since when)\b`,
    String.raw`${OPENING}how (?:much|expensive)\b`,
    String.raw`${OPENING}how many (?:credits|of (?:them|these|those)|rows|results|did|do i|have|were (?:left|excluded|removed|found)|are (?:there|left|in (?:it|this|that|the (?:table|list))))\b`,
    String.raw`${OPENING}how (?:did|do|does|was|were|is|can|could|would|sure|accurate|reliable|old|fresh|recent)\b`,
    String.raw`${OPENING}(?:did|has|had|have|was|were) ${RESULT}\b(?! (?:got|any)\b)`,
    String.raw`${OPENING}(?:do|does|is|are|will|would) ${SHOWN}\b(?!.*\b(?:find|show|get|give)\b)`,
    String.raw`${OPENING}what (?:${WAS} ${RESULT}\b|happened|went wrong|else (?:can|could) you|can you do|do you (?:do|mean)|does .{1,60} mean|filters?\b|(?:is|was) the (?:cost|price|balance|total)\b)`,
    String.raw`${OPENING}what[’']s (?:the (?:cost|price|balance)|that|this|going on|wrong)\b`,
    String.raw`${OPENING}(?:which|what) (?:filters?|criteria|sources?|words?|ones were|of (?:them|these|those) were)\b`,
    String.raw`${OPENING}where (?:did|do|does|is|are) (?:${RESULT}|.{1,40} (?:come|data|go))\b`,
    String.raw`${OPENING}who (?:are you|made (?:you|this)|decided|did (?:you|it))\b`,
    String.raw`${OPENING}(?:explain|tell me (?:why|how|what)|i (?:do not|don[’']?t) understand|what about the cost)\b`,
    String.raw`${OPENING}can (?:you|i) (?:explain|trust|undo|go back|get a refund)\b`,
  ].join('|'),
  'iu',
);

const SMALL_TALK_WORDS =
  'thanks|thank you|thx|ty|cheers|great|good|nice|perfect|cool|awesome|excellent|super|wonderful|brilliant|ok|okay|k|fine|got it|i see|yes|no|yep|nope|hello|hi|hey|hallo|bye|goodbye|good (?:morning|evening|night|job|work)|well done|never ?mind|sounds good|looks good|very much|so much|a lot|a ?million|danke(?: sch(?:ö|oe)n)?|vielen dank|merci(?: beaucoup)?|gracias|grazie|obrigad[oa]|tack|dank je|test|lol|haha|wow|please|there|everyone|team|all|that|this|is|was|for|now|it';
/**
 * Only words of courtesy. Each alternative has a definite end: otherwise a repeated “goodbye” would be matched in
 * exponentially many ways.
 */
const SMALL_TALK = new RegExp(
  String.raw`^[\s\p{P}\p{S}]*(?:(?:${SMALL_TALK_WORDS})(?![\p{L}\p{N}])[\s\p{P}\p{S}]*)+$`,
  'iu',
);

const EXPORT = new RegExp(
  String.raw`${OPENING}(?:(?:can|could) you |i (?:want|need) to )?(?:export|download|save)(?: (?:it|this|that|them|these|the (?:table|list|rows?|results?)))?(?: (?:as|to|in|into) (?:an? )?(?:csv|json|excel|xlsx|file|spreadsheet))?(?: please)?[\s.!?]*$`,
  'iu',
);
const UNDO = new RegExp(
  String.raw`${OPENING}(?:undo|revert|go back|back|take (?:it|that) back|roll ?back)(?: (?:it|this|that|the last (?:one|change|step|filter)|one step|to (?:the )?(?:before|previous|last)(?: (?:one|table|list))?))?(?: please)?[\s.!?]*$`,
  'iu',
);

/** Returns the purpose of a prompt by its first words: a question never starts a search, whichever planner is used. */
export function purposeOf(prompt: string): PromptPurpose {
  if (SMALL_TALK.test(prompt)) return 'small_talk';
  if (EXPORT.test(prompt)) return 'export';
  if (UNDO.test(prompt)) return 'undo';
  return QUESTION.test(prompt) ? 'question' : 'request';
}
