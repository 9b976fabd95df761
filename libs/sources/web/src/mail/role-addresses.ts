/** Local parts of role addresses. Source: RFC 2142, and common ones on the pages of companies. */
const ROLE_NAMES: ReadonlySet<string> = new Set(
  `abuse accounting accounts admin administration administrator all anfrage anfragen apps billing board bookings bewerbung
  buchhaltung career careers commercial compliance compras contact contacto contact-us contactus customerservice customers
  datenschutz dataprotection devnull direccion dispo dns dpo editor einkauf empfang enquiries enquiry events everyone export
  facturation feedback finance ftp gdpr hallo hello help helpdesk hi hostmaster hr impressum info infos information
  inquiries inquiry investor investors invoice invoices it jobs kontakt kundenservice legal list list-request mail
  mailer-daemon management marketing media news newsletter no-reply noc noreply office operations orders partner partners
  personal post postmaster presse press privacy procurement purchasing recht rechnung reception recruiting redaktion
  registration reservations root sales security service services shop spam support sysadmin team tech ticket tickets usenet
  uucp ventas verkauf vertrieb webmaster welcome www zentrale`.split(/\s+/),
);

/** @returns whether a local part is a role; a suffix after a plus sign is ignored */
export function isRoleName(localPart: string): boolean {
  return ROLE_NAMES.has(localPart.toLowerCase().replace(/\+.*$/, ''));
}
