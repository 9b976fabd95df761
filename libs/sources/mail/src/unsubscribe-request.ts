/** Maximum length of a request; a longer reply has other content. */
const CHARACTERS_MAX = 400;

/**
 * Requests, by language. Own selection: the words of a request also stand in ordinary replies (about an appointment, an invoice, a
 * mail that did not arrive), so what follows or precedes them decides.
 */
const REQUESTS: readonly RegExp[] = [
  // English.
  /\bunsubscribe\b/,
  /\bopt(?:ing)?[ -]?(?:me )?out\b/,
  /\b(?:remove|delete|take) (?:me|us|my (?:e-?mail|address|name)|our (?:e-?mail|address))\b.*\b(?:list|database|mailing|off|contacts|records|emails?)\b/,
  /\bremove (?:me|us)\b/,
  /\b(?:stop|quit|cease) (?:e-?mailing|contacting|sending|writing|messaging|spamming)\b/,
  /\b(?:do not|don't|never) (?:e-?mail|contact|write(?: to)?|message|mail) (?:me|us)\b(?! (?:before|until|by (?:tele)?phone(?! or))\b)/,
  /\bno (?:more|further) (?:e-?mails?|mails?|messages?)\b/,
  /\bno longer (?:wish|want) to (?:receive|be contacted|hear)\b/,
  // German.
  /(?<!\bfür (?:\S+ )?(?:morgen|heute|\S+tag|mittwoch|termin|meeting|gespräch|call|demo) (?:[^\s,.]+ ){0,4})\b(?:ab(?:zu)?melden|abmeldung|ab(?:zu)?bestellen|aus(?:zu)?tragen)\b/,
  /(?<!\bhaben? (?:(?:ich|wir|leider|noch|bisher) ){0,2})\bkeine? (?:weiteren?|mehr)? ?(?:e-?mails?|mails?|nachrichten|werbung|newsletter)\b/,
  /\bnicht (?:mehr|weiter) (?:\S+ ){0,2}(?:kontaktieren|anschreiben|schreiben|anmailen|belästigen)\b/,
  /\b(?:kontaktieren|schreiben|mailen) sie (?:mich|mir|uns) (?:bitte )?(?:\S+ )?nicht (?:mehr|wieder|weiter)\b/,
  /\b(?:aus|von) (?:\S+ ){1,2}(?:verteiler|mailingliste)\b/,
  /\b(?:aus|von) (?:\S+ ){1,2}(?:liste|datenbank) (?:\S+ )?(?:nehmen|streichen|löschen|entfernen|austragen|runter|raus|weg)\b/,
  /\b(?:nehmen|streichen|löschen|entfernen|tragen) sie (?:\S+ ){1,3}(?:aus|von) (?:\S+ ){1,2}(?:liste|datenbank)\b/,
  /\b(?:löschen|entfernen) sie (?:mich|meine)\b/,
  // French.
  /\bd[ée]s(?:abonn|inscri)/,
  /\bne (?:plus|pas) (?:me|nous|m') ?(?:contacter|écrire|envoyer|solliciter|relancer)/,
  /\bne (?:me|nous|m') ?(?:contactez|écrivez|envoyez|sollicitez|relancez) plus\b/,
  /\bne (?:souhait|veu|voul|désir)\S+ plus (?:recevoir|être (?:contact|sollicit|démarch|relanc|import|dérang)|de (?:\S+ )?(?:e-?mail|mail|courriel|message|newsletter|sollicitation|pub))/,
  /\b(?:retire[rz]|supprime[rz]|enlever|enlevez)[ -](?:(?:moi|nous)\b|(?:mon|mes|notre|nos) (?:adresse|nom|e-?mail|mail|coordonnées|données|contact))/,
  // Spanish and Portuguese.
  /\bd[aáeé]\w*(?:me|nos) de baja\b/,
  /\bcancelar? (?:la |mi |a )?(?:suscripción|inscrição|subscrição|assinatura)/,
  /\bdescadastr/,
  /\b(?:no|não) (?:me|nos) (?:contac?t[eé]|escrib[aá]|escreva|env[ií][eé]|mand[eé])(?:[mns]|is)? (?:\S+ )?(?:m[aá]s|mais)\b(?! (?:tarde|adelante|que|do que)\b)/,
  /\b(?:no|não) (?:quiero|queremos|deseo|deseamos|quero|desejo|pretendo) (?:seguir |mais |continuar a )(?:recib|receb)/,
  /\b(?:no|não) (?:quiero|queremos|deseo|deseamos|quero|desejo|pretendo) (?:recib|receb)\S+ (?:\S+ ){0,2}(?:más|mais|e-?mail|mail|corre|mensa|newsletter|publici|comunica)/,
  /\b(?:elim[ií]n|remov|ret[ií]r)\w*[ -]?(?:me|nos)\b/,
  /\b(?:elim[ií]n|remov|retir)\w+ (?:mi|mis|(?:o )?meu|os meus) (?:e-?mail|mail|correo|direcci|datos|dados|nombre|nome|contact|contato|endere)/,
  // Italian.
  /\bdisiscri/,
  /\b(?:cancell|rimuov|toglie)\w*(?:mi|ci)\b|\bcancell\w+ (?:l'iscrizione|(?:la mia|il mio|i miei) (?:iscrizione|e-?mail|mail|indirizzo|nome|nominativo|contatt|dati|recapit))/,
  /\bnon (?:mi |ci )?(?:contatt|scriv|invi|mand)\S* (?:\S+ )?più/,
  /\bnon (?:desider|vogli|intend)\S+ (?:più ricevere|(?:più )?essere contattat|ricevere (?:\S+ ){0,2}(?:più|e-?mail|mail|messagg|comunicazion|newsletter|pubblicità))/,
  // Dutch.
  /\b(?:uitschrijven|uitschrijving|schrijf (?:mij|me|ons) uit)\b/,
  /\b(?:afmelden|afmelding)\b(?! (?:voor|van) (?!(?:\S+ ){0,2}(?:e-?mail|mail|nieuwsbrie|lijst)))/,
  /(?<!\b(?:heb|heeft|hebben|kreeg|kregen) (?:(?:ik|wij|we|al|nog) )?)\bgeen (?:\S+ )?(?:e-?mails?|mails?|berichten|reclame) (?:\S+ )?meer\b/,
  /(?<!\b(?:heb|heeft|hebben) (?:(?:ik|wij|we) )?(?:de|het|uw|je|jullie|nog) (?:[^\s,.]+ )?)\bniet (?:meer|langer) (?:\S+ ){0,2}(?:contacteren|benaderen|mailen|schrijven|ontvangen)\b/,
  /\b(?:verwijder (?:mij|me|ons|mijn)|(?:mail|contacteer|benader) (?:mij|me|ons) niet(?! (?:voor|vóór)))\b/,
  // Polish.
  /\bwypis(?:ać|anie|uję|z) (?:mnie|nas|się|z )|\b(?:mnie|nas|się) wypis(?:ać|anie|uję)/,
  /\bproszę (?:(?:mnie|nas) usunąć|(?:o usunięcie|usunąć) (?:\S+ ){0,3}(?:mnie|nas\b|moje\b|mojego|moich|nasze\b|naszych|adres|danych|list[yę]|baz[yę]))/,
  /\bproszę (?:(?:więcej|już|do mnie|do nas) ){1,2}nie (?:\S+ ){0,2}(?:pisać|wysyłać|kontaktować|przysyłać)/,
  /\bproszę nie (?:\S+ ){0,2}(?:pisać|wysyłać|kontaktować|przysyłać) (?:\S+ ){0,2}(?:więcej|do mnie|do nas|ze mną|z nami|maili|wiadomości|reklam|ofert\b)/,
  /\bnie (?:życzę sobie|chcę) (?:więcej |dalszych |już )?(?:otrzymywać|dostawać|maili|wiadomości|kontaktu(?! telefon))/,
  // Swedish, Danish and Norwegian.
  /\b(?:avregistrer|avprenumerer|frameld)/,
  /\b(?:avanmäl|avmeld|afmeld(?!en|ing))\w*\b(?! (?:\S+ ){0,2}(?:mød|møt|möt|demo|aftal|avtal|webinar|semin|samtal|kurs))/,
  /\b(?:ta bort|fjern|slett?) (?:mig|meg|oss|os)\b/,
  /(?<!\b(?:har|fick|fik|fikk) (?:(?:jag|vi|jeg|fått|fået|tyvärr|desværre|dessverre) )?)\b(?:inga|ingen|ikke) (?:fler|flere|mere?) (?:e-?post|e-?mails?|mails?|mejl|meddelanden|beskeder|meldinger)/,
  /\b(?:kontakta?|skriv|mejla|mail|send) (?:till? )?(?:mig|meg|oss|os) (?:inte|ikke) (?:mere?|igen|igjen|längre|lenger)\b(?! (?:end|enn|än)\b)/,
  /\b(?:skriv|mejla|mail|send) (?:inte|ikke) (?:till? )?(?:mig|meg|oss|os) (?:mere?|igen|igjen|längre|lenger)\b(?! (?:end|enn|än)\b)/,
  /\bikke (?:kontakt|skriv|mail|send) (?:til )?(?:mig|meg|oss|os) (?:mere?|igen|igjen|lenger)\b(?! (?:end|enn)\b)/,
  /\b(?:jag|vi|jeg) (?:vill?|ønsker|önskar) (?:inte|ikke) (?:ha|få|motta|modtage) (?:fler|flere|mere?) (?:e-?post|e-?mails?|mails?|mejl|meddelanden|beskeder|meldinger)(?!\w* (?:end|enn|än)\b)/,
];
/** The word "stop" on a line of its own, as in replies to text messages. */
const STOP = /^\s*stop[\s.!]*$/im;
const NEGATED =
  /\b(?:do not|don't|not|never|nicht|kein(?:en)?) (?:\S+ ){0,2}(?:unsubscribe|remove me|opt out|ab(?:zu)?melden|ab(?:zu)?bestellen|aus(?:zu)?tragen)\b/;

/**
 * @param text what a person wrote, without quotations
 * @returns whether it asks for no further mail; a person decides what follows from that
 */
export function asksToUnsubscribe(text: string): boolean {
  if (text.length > CHARACTERS_MAX) return false;
  if (STOP.test(text)) return true;
  const words = text.toLowerCase().replaceAll('’', "'").replace(/\s+/g, ' ').trim();
  return !NEGATED.test(words) && REQUESTS.some((form) => form.test(words));
}
