import { COMPANY_ATTRIBUTES, isSortable, type Direction } from '@quarry/directory';
import type { Meaning } from '../meaning.js';

/** Words before a sort key. */
export const SORT_LEADS = `sorted by | sort by | ordered by | order by | ranked by | rank by | by | sort | sorted | ordered | ranked
      | sort them by`;
/** Words that reverse an order. */
export const DIRECTIONS: Readonly<Record<Direction, string>> = {
  descending: `descending | desc | highest first | high to low | in descending order | from high to low | highest to lowest
      | from highest to lowest | largest to smallest | from largest to smallest | biggest to smallest
      | from biggest to smallest | newest to oldest | from newest to oldest | youngest to oldest | latest first
      | z to a | from z to a`,
  ascending: `ascending | asc | lowest first | low to high | from low to high | lowest to highest | from lowest to highest
      | in ascending order | smallest to largest | from smallest to largest | smallest to biggest
      | from smallest to biggest | oldest to newest | from oldest to newest | oldest to youngest | earliest first
      | from a to z`,
};

/** Phrases with a fixed function in the grammar of prompts; "|" parts them. */
export const CUES: ReadonlyArray<readonly [Meaning, string]> = [
  [
    { type: 'negation', reach: 'item' },
    `not | non | no | isnt | arent | dont | doesnt | nor | neither | never | outside | without | outside of
      | other than | rather than | instead of`,
  ],
  [
    { type: 'negation', reach: 'clause' },
    `excluding | exclude | excludes | excluded | except | except for | except those | but not | leave out
      | leaving out | skip | skipping | ignore | ignoring | omit | avoid | apart from | with the exception of
      | filter out | but no | do not include | dont include | must not be | should not be | not including
      | not include | remove | drop | minus | barring`,
  ],
  [{ type: 'exception' }, 'but'],
  [
    { type: 'effect', effect: 'prefer' },
    `prefer | preferably | ideally | preferred | preferring | nice to have | bonus if | bonus points for | bonus
      | a plus if | favor | favour | priority to | prioritise | prioritize | preference for | would be nice if
      | a plus | bonus points if | if possible`,
  ],
  [
    { type: 'effect', effect: 'require' },
    `must | must be | must have | must use | has to | have to | need to be | needs to be | required | require
      | requirement | requirements | mandatory | qualify those | only qualify | they must | should be | must haves
      | must haves : | qualify only | qualified if | a must`,
  ],
  [
    { type: 'effect', effect: 'exclude' },
    `disqualify | disqualify those | disqualified | disqualified if | disqualify if | disqualify any | reject
      | rule out | deal breaker | dealbreaker | disqualifying | knock out`,
  ],
  [{ type: 'conjunction', word: 'or' }, 'or | / | and/or | or alternatively'],
  [{ type: 'conjunction', word: 'and' }, 'and | & | , | and also'],
  [
    { type: 'column_lead' },
    `include | including | with their | with columns | columns | fields | show | showing | plus | along with
      | add | as well as | give me their | get their | their | include the | with the following columns
      | with the following fields | with the columns | its | return | i want | i need | together with | for each
      | for each company | for each person | for every company | for each one | listing | output | enrich with
      | attributes | details | the columns | complete with | and their | containing | find their | each with
      | want | need | also`,
  ],
  ...listOrders(),
  [{ type: 'sort_lead' }, SORT_LEADS],
  [{ type: 'direction', direction: 'descending' }, DIRECTIONS.descending],
  [{ type: 'direction', direction: 'ascending' }, DIRECTIONS.ascending],
  [{ type: 'top' }, 'top | the top | leading'],
  [
    { type: 'scope', of: 'company' },
    `at | working at | who work at | works at | working for | who work for | employed by | employed at | within
      | inside | whose company | whose companies | of | for | from | their company | whose employer | work for
      | work at | running | run | leading a | whose company is | company is | working in | who work in | work in`,
  ],
  [
    { type: 'scope', of: 'person' },
    `who live in | living in | who lives in | residing in | who are based in | who is based in
      | who are located in | who reside in | personally based in | living | who sit in`,
  ],
  [
    { type: 'hiring' },
    `hiring | that are hiring | currently hiring | actively hiring | are hiring | is hiring | recruiting for
      | hiring for | looking to hire | with open positions | with open roles | with job openings | with open jobs
      | who are hiring | have open positions | hiring right now | hiring now | actively recruiting
      | growing their team | open roles in | open positions in | with open roles in | with open positions in
      | with open roles for | hire`,
  ],
  [
    { type: 'follow_up' },
    `those | them | these | now | instead | the same | same | only those | only the ones | the ones | keep only
      | narrow | narrow down | narrow it down | again`,
  ],
  [
    { type: 'relation' },
    `sell to | sells to | selling to | serving | serve | serves | whose customers are | with customers in
      | with clients in | with customers | with clients | customers in | clients in | companies like | firms like
      | startups like | businesses like | brands like | competitors of | competitor of | competing with
      | compete with | similar to | comparable to | acquired by | owned by | partnered with | partners of
      | invested in | investing in | invest in | backed by | funded by | founded by | led by | graduated from
      | studied at | who studied | formerly at | previously at | used to work at | who worked at
      | who previously worked at | previously worked at | alumni of | expanding to | expanding into | exporting to
      | export to | suppliers to | supplier to | customers of | clients of | subsidiaries of | subsidiary of
      | building for | who report to | reporting to | with offices in | with an office in | offices in
      | an office in | who speak | speaking | fluent in | shipping to | marketed to | selling | that sell
      | who sell | that make | making | working with | work with | works with | integrated with | born in
      | interested in | using our`,
  ],
  [
    { type: 'filler' },
    `as soon as possible | as quickly as possible | thanks in advance | thank you in advance | thanks a lot | thanks so much
      | thank you so much | many thanks | much appreciated | would be appreciated | good morning | good afternoon
      | good evening | no rush | no hurry | not urgent | nothing fancy | no pressure | if you can | if you could
      | if you would be so kind | if you dont mind | when you can | when you get a chance | that would be great
      | would be great | that would be awesome | would be awesome | would be a huge help | would be a big help
      | would be of great help | would be helpful | a big help | a huge help | big thanks | would love to | would love
      | love to see | love to have | like to see | worth talking to | worth a look | worth contacting | worth reaching
      | by the way | to be honest | more or less | for a change | for starters | to begin with | first of all | as usual
      | in advance | at your convenience | no worries | nothing special | nothing else | have a nice day
      | have a great day | best regards | kind regards`,
  ],
  [
    { type: 'unsupported' },
    'people focused | people first | people centric | person centric | people driven',
  ],
];

/** "Largest", "newest first": the words of each attribute that say an order at once. */
function listOrders(): Array<readonly [Meaning, string]> {
  const directions: readonly Direction[] = ['descending', 'ascending'];
  return COMPANY_ATTRIBUTES.flatMap(({ key: by, sort }) =>
    directions.flatMap((direction): Array<readonly [Meaning, string]> => {
      const words = sort?.[direction].join(' | ') ?? '';
      return words !== '' && isSortable(by) ? [[{ type: 'sort', sort: { by, direction } }, words]] : [];
    }),
  );
}
