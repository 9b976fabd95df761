import { describe, expect, it } from '@jest/globals';
import { purposeOf } from './prompt-purpose.js';

describe('a prompt', () => {
  it.each([
    'why was Munich left out?',
    'And why are there only 12?',
    'how much did this cost?',
    'ok, how much was that',
    'how many credits did you use?',
    'How many of them are qualified?',
    'what did you search?',
    'what does unknown mean?',
    'which filters are in force?',
    'where did you get these?',
    'did you check the exclusion list?',
    'Were they filtered by country?',
    'how do you know that they use HubSpot?',
    'how sure are you about the emails?',
    'explain the third row',
    'is this complete?',
    'what happened to Siemens?',
    'can you undo that?',
    'what can you do?',
  ])('about past events is a question: %s', (prompt) => {
    expect(purposeOf(prompt)).toBe('question');
  });

  it.each([
    'thanks!',
    'Thank you so much',
    'great, thanks',
    'ok',
    'Hello there',
    'Danke schön!',
    'merci',
    '👍 perfect',
  ])('of courtesy is small talk: %s', (prompt) => {
    expect(purposeOf(prompt)).toBe('small_talk');
  });

  it.each([
    ['export', 'export'],
    ['can you export this as csv please', 'export'],
    ['undo', 'undo'],
    ['Please undo the last change.', 'undo'],
  ])('that is a command is recognised as one: %s', (prompt, purpose) => {
    expect(purposeOf(prompt)).toBe(purpose);
  });

  it.each([
    'who are the VPs of Engineering and heads of product at US SaaS startups with 10+ employees?',
    'which fintech companies in Berlin are hiring?',
    'how many fintech companies are in Berlin?',
    'what companies in Germany use HubSpot?',
    'do you have companies in Norway?',
    'can you find 20 CTOs in Boston?',
    'are there any insurers in Texas?',
    'are there fintechs in Oslo?',
    'only those in Berlin',
    'and the CFOs there',
    'add their phone numbers',
    'export managers at logistics companies',
    'undo.example competitors in Europe',
    'where can I find robotics companies in Japan',
    'great companies in Spain',
    'no banks please',
  ])('that asks for rows is a request: %s', (prompt) => {
    expect(purposeOf(prompt)).toBe('request');
  });

  it('is read in one way, even if a polite phrase consists of two', () => {
    expect(purposeOf('Goodbye, good bye!')).toBe('small_talk');
    const before = process.cpuUsage();
    expect(purposeOf(`${'goodbye'.repeat(26)}x`)).toBe('request');
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  });
});
