import { describe, expect, it } from '@jest/globals';
import { readQuery } from './news-search.provider.js';
import { classify } from '@quarry/extraction';

const REPLIES = ['interested', 'not interested', 'out of office', 'unsubscribe'];

describe('a text classified by words alone', () => {
  it.each([
    ['Sounds good, please book a call with my assistant.', REPLIES, 'interested', 'high'],
    ['Thanks, but we are not interested.', REPLIES, 'not interested', 'high'],
    ['I am out of the office until Monday.', REPLIES, 'out of office', 'medium'],
    ['Please remove me from this list and stop emailing!', REPLIES, 'unsubscribe', 'high'],
    ['We are a payments provider with a neobank.', ['fintech', 'retail'], 'fintech', 'high'],
    ['ROBOTS for factories; a robot never sleeps.', ['robot', 'food'], 'robot', 'high'],
    ['Food, food and one robot.', ['robot', 'food'], 'food', 'medium'],
    ['Food, food, food, robots and a robot.', ['robot', 'food'], 'food', 'low'],
    ['One robot, one food.', ['robot', 'food'], null, null],
    ['Nothing of that kind.', REPLIES, null, null],
    ['', REPLIES, null, null],
    ['__proto__ constructor', ['__proto__', 'food'], '__proto__', 'high'],
  ])('%s', (text, labels, label, confidence) => {
    const found = classify(text, labels);
    expect([found.label, found.confidence]).toEqual([label, confidence]);
    expect(found.reasoning).toMatch(/\.$/);
  });

  it('compares the first twenty words of a longer label, because each word of a text may begin it', () => {
    const first =
      'we make engines for ships and planes and we repair pumps of every kind and size for mills in France';
    expect(classify(first, [`${first} and more of a pasted page`, 'food']).reasoning).toBe(
      `By words alone: "${first}" in the text.`,
    );
  });

  it('names the words behind the result', () => {
    expect(classify('We are not interested.', REPLIES).reasoning).toBe(
      'By words alone: "not interested" in the text.',
    );
  });
});

describe('a news query', () => {
  it.each([
    ['halbrook.com pumps', 'halbrook.com', ['pumps']],
    ['pumps site:https://halbrook.com/blog', 'https://halbrook.com/blog', ['pumps']],
    ['http://127.0.0.1:8080/ pumps', 'http://127.0.0.1:8080/', ['pumps']],
    ['site:127.0.0.1:8080', '127.0.0.1:8080', []],
    ['Node.js pumps', null, ['nodejs', 'pumps']],
    ['analytical engines', null, ['analytical', 'engines']],
    ['Dr. No and U.S. pumps', null, ['dr', 'no', 'and', 'us', 'pumps']],
  ])('%s', (query, site, words) => {
    expect(readQuery(query, true)).toEqual({ site, words });
  });

  it('that only mentions a domain is not limited to it if a news feed is searched', () => {
    expect(readQuery('Booking.com strike', false)).toEqual({ site: null, words: ['bookingcom', 'strike'] });
    expect(readQuery('site:booking.com strike', false).site).toBe('booking.com');
  });
});
