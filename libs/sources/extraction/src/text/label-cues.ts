import { wordTable } from '@quarry/vocabulary';

/**
 * Phrases that indicate common labels, in addition to the words of the label itself and the synonyms of the vocabulary.
 * Labels for replies and sentiment come first: they hardly ever occur literally in a text.
 */
export const LABEL_CUES: ReadonlyArray<{ labels: readonly string[]; cues: readonly string[] }> = wordTable(
  `
  interested, positive reply, meeting request, wants a meeting | sounds interesting, sounds good, sounds great, tell me more,
    happy to chat, happy to talk, let us talk, lets talk, book a call, book a meeting, schedule a call, schedule a meeting,
    send me more, send more, more information, would love to, interested in, am interested, are interested, demo
  not interested, negative reply, no interest | not interested, no interest, no thanks, no thank you, not a fit, not for us,
    not relevant, no need, do not need, dont need, not looking, already have, pass on this, not at this time, not right now
  unsubscribe, opt out, do not contact | unsubscribe, remove me, take me off, stop emailing, stop contacting, stop sending,
    do not contact, dont contact, opt out, opt me out, delete my data
  out of office, away, auto reply, automatic reply, autoreply | out of office, out of the office, on vacation, on holiday,
    on annual leave, on leave, parental leave, maternity leave, automatic reply, auto reply, will be back,
    limited access to email, abwesend, im urlaub
  referral, wrong person, forwarded | right person, wrong person, better person, reach out to, talk to my colleague,
    contact my colleague, in charge of, responsible for this, forwarded your, no longer work, left the company,
    copying my colleague
  bounce, bounced, undeliverable | undeliverable, delivery failed, delivery has failed, mail delivery, address not found,
    user unknown
  positive, praise, happy | great, excellent, love, amazing, perfect, happy, thank you, thanks, wonderful, fantastic, best,
    helpful, recommend, impressed
  negative, complaint, unhappy | bad, terrible, awful, worst, hate, disappointed, disappointing, poor, broken, useless, refund,
    complaint, unhappy, angry, unacceptable, does not work, doesnt work, never again
  question, inquiry, enquiry | how do, how does, how much, what is, can you, could you, do you, is there, when will
  spam, scam, phishing | click here, act now, winner, lottery, free money, crypto giveaway, limited offer, verify your account
  b2b, business to business | for businesses, for companies, for teams, enterprise, b2b, for agencies
  b2c, consumer, business to consumer | for families, for everyone, shop now, add to cart, consumers, b2c, at home
`,
  (labels, cues) => ({ labels: labels.split(', '), cues: cues.split(/,\s+/) }),
);
