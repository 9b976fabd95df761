/**
 * Outcome of a prompt. `rows`: it is understood and performed. `free`: it is understood and must cost nothing, because it asks
 * for nothing new. `answered`: it is a question or small talk: no table, no cost. `asked`: it refers to something that does not
 * exist, so the run asks back: no table, no cost. `unread`: a part is not understood: the message names it, and nothing is
 * bought.
 */
export type Verdict = 'rows' | 'free' | 'answered' | 'asked' | 'unread';

/**
 * Sixty conversations, each a line of prompts with their verdicts. Prompts that would buy something ask for an e-mail address
 * or a number.
 */
export const CONVERSATIONS: ReadonlyArray<ReadonlyArray<readonly [prompt: string, verdict: Verdict]>> = [
  ...`
  # Refinements.
  rows: 8 CEOs of software companies in the United States with work email | free: only verified emails | answered: how much did this cost?
  free: software companies in the UK | free: and the CEOs there | asked: only verified emails please | asked: only those with a phone number
  rows: 10 heads of sales in Germany with work email | free: only those in Berlin | free: sort them by company name
  rows: 10 heads of sales in Germany with work email | free: only those at companies with more than 50 employees | free: not in Munich
  free: fintech companies in Germany | free: only those in Berlin | free: with more than 20 employees | free: excluding Hamburg
  free: 20 banks in Germany | free: the largest first | answered: thanks
  rows: 6 CTOs at software companies in France with work email | asked: only the glamorous ones | free: only those in Paris
  rows: 6 founders of software companies with work email | asked: only the trustworthy | answered: undo
  free: biotech companies in Spain | free: also in Portugal | answered: which filters are in force?
  free: biotech companies in Spain | free: instead in Italy | answered: export | free: only those founded after 2010
  rows: 5 heads of marketing in London with work email and phone | free: without phone | free: only verified emails
  # These prompts refer to nothing.
  asked: and the CFOs there, with work email
  asked: the CEOs of them, with phone
  unread: only verified emails please
  asked: from that list, those with work email
  # Questions.
  rows: 4 CEOs of software companies in the United States with work email | answered: why was Munich left out? | answered: how many of them are qualified?
  rows: 4 CEOs of banks with work email | answered: how much was that? | answered: what did you search?
  answered: how much does it cost?
  answered: what can you do?
  answered: why?
  answered: how do you find the email addresses?
  answered: where do you get the data?
  free: fintech companies in Berlin | answered: is this complete? | answered: how sure are you about the emails?
  free: fintech companies in Berlin | answered: did you check the exclusion list? | answered: explain the third row
  rows: 5 CFOs at insurance companies with work email | answered: what happened to Allianz? | answered: can you undo that?
  # Small talk.
  answered: hello
  answered: thanks a lot!
  answered: Danke schön!
  answered: merci
  answered: 👍
  free: insurance companies in Austria | answered: great, thank you | answered: ok
  # Unsupported languages.
  unread: 20 Fintech-Unternehmen in Berlin mit E-Mail der Geschäftsführer
  unread: Finde 10 Vertriebsleiter bei Banken in Wien mit E-Mail
  unread: 20 entreprises fintech à Paris avec l’email du directeur financier
  unread: les directeurs commerciaux des banques en France avec email
  unread: 20 empresas fintech en Madrid con email del director
  unread: directores de ventas de bancos en España con teléfono
  unread: firmy fintech w Warszawie z adresem email prezesa
  unread: aziende fintech a Milano con email del direttore
  unread: 20 fintechbedrijven in Amsterdam met e-mail van de directeur
  unread: empresas de software em Lisboa com email do diretor
  unread: ベルリンのフィンテック企業 CEO email
  unread: финтех компании в Берлине, email директора
  unread: 柏林的金融科技公司 CEO email
  unread: fintechföretag i Stockholm med email till vd
  # Partly understood prompts.
  unread: 10 CEOs of scale-up bakeries with a blue logo in Germany, with work email
  unread: 3 fintechs each from Germany, France and Spain, with their CEO and work email
  unread: the CEO of the smallest insurance company in each US state, with work email
  unread: who runs finance at retailers in France, with work email
  unread: everyone at Stripe with work email
  unread: CEOs of companies that my cousin likes, with work email
  unread: 5 CTOs who play chess, in Germany, with phone
  unread: heads of sales near a lake in Switzerland with work email
  unread: CFOs of banks that lost money last year, with work email
  unread: 4 CEOs of software companies in Germany with a blue logo, with work email | unread: only those at companies with more than 10 employees | unread: also add their phone
  free: fintech companies in Germany | unread: and the CEOs there who juggle, with work email
  unread: CMOs of trendy fashion labels in Milan with work email
  unread: decision makers for widgets in Ohio with phone
  unread: asdf qwer with work email
  unread: people that I met in Berlin with work email
`.matchAll(/^ {2}(\w.*)$/gm),
].map(([, line]) => line!.split(' | ').map((turn) => promptOf(turn)));

function promptOf(turn: string): [prompt: string, verdict: Verdict] {
  const [, verdict, prompt] = /^(\w+): (.*)$/.exec(turn)!;
  return [prompt!, verdict as Verdict];
}
