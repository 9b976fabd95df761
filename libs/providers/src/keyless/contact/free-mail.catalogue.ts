import { registrableDomain } from '@quarry/dto';

/**
 * Domains at which anybody has a mailbox, so that none of them is a company's. The large ones of each country, as their operators name them;
 * what is missing costs a search in vain.
 */
const FREE_MAIL: ReadonlySet<string> = new Set(
  `gmail.com googlemail.com outlook.com outlook.de outlook.fr hotmail.com hotmail.co.uk hotmail.fr hotmail.de hotmail.it hotmail.es
  live.com live.de live.fr live.co.uk msn.com yahoo.com yahoo.co.uk yahoo.de yahoo.fr yahoo.it yahoo.es yahoo.co.in yahoo.co.jp
  yahoo.com.br ymail.com rocketmail.com aol.com aim.com icloud.com me.com mac.com proton.me protonmail.com protonmail.ch pm.me
  tutanota.com tuta.io tuta.com hey.com fastmail.com fastmail.fm zohomail.com zohomail.eu gmx.de gmx.net gmx.at gmx.ch gmx.com web.de
  freenet.de t-online.de arcor.de mail.de posteo.de mailbox.org online.de email.de bluewin.ch hispeed.ch orange.fr wanadoo.fr free.fr
  laposte.net sfr.fr neuf.fr libero.it virgilio.it alice.it tin.it tiscali.it mail.ru yandex.ru yandex.com bk.ru inbox.ru list.ru
  rambler.ru ukr.net wp.pl onet.pl o2.pl interia.pl seznam.cz centrum.cz email.cz qq.com 163.com 126.com sina.com foxmail.com naver.com
  daum.net hanmail.net rediffmail.com comcast.net verizon.net att.net sbcglobal.net bellsouth.net cox.net charter.net btinternet.com
  sky.com talktalk.net virginmedia.com telenet.be skynet.be ziggo.nl xs4all.nl kpnmail.nl planet.nl home.nl uol.com.br bol.com.br
  terra.com.br mail.com email.com usa.com inbox.com gmx.fr gmx.us`.split(/\s+/),
);

/** @returns whether a domain or web address is that of a service where anybody has a mailbox */
export function isFreeMail(domain: string): boolean {
  return FREE_MAIL.has(registrableDomain(domain) ?? '');
}
