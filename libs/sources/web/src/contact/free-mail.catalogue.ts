import { registrableDomain } from '@quarry/dto';

/**
 * Services with a domain per country. For other services, and for names that are also those of companies (proton.com.my
 * builds cars), only the listed domains count.
 */
const FAMILIES: ReadonlySet<string> = new Set(
  `gmail googlemail hotmail live outlook msn yahoo ymail rocketmail aol gmx yandex zohomail protonmail tutanota wanadoo`.split(
    ' ',
  ),
);
/** `com`, a country code, or `co` or `com` before a country code. */
const OF_COUNTRY = /^(com|(?:(?:co|com)\.)?([a-z]{2}))$/;
/** Country domains in general use: outlook.io does not belong to Microsoft. */
const OF_ANYBODY = new Set('ai cc co fm gg io is la ly me sh so to tv vc ws'.split(' '));

/**
 * Domains at which anybody can have a mailbox, so they do not belong to a company: in addition to {@link FAMILIES}, the
 * large ones of each country, as their operators list them. A missing one is dangerous: an address derived there is a
 * stranger's valid mailbox.
 */
const FREE_MAIL: ReadonlySet<string> = new Set(
  `aim.com icloud.com me.com mac.com proton.me pm.me gmx.net
  tutamail.com tuta.io tuta.com keemail.me hey.com fastmail.com fastmail.fm hushmail.com runbox.com mailfence.com duck.com web.de
  freenet.de t-online.de arcor.de mail.de posteo.de mailbox.org online.de email.de bluewin.ch hispeed.ch orange.fr free.fr
  laposte.net sfr.fr neuf.fr libero.it virgilio.it alice.it tin.it tiscali.it tiscali.co.uk mail.ru ya.ru internet.ru bk.ru inbox.ru list.ru
  rambler.ru ukr.net wp.pl onet.pl o2.pl interia.pl seznam.cz centrum.cz email.cz qq.com 163.com 126.com sina.com foxmail.com naver.com
  daum.net hanmail.net rediffmail.com comcast.net verizon.net att.net sbcglobal.net bellsouth.net cox.net charter.net btinternet.com
  sky.com talktalk.net virginmedia.com telenet.be skynet.be ziggo.nl xs4all.nl kpnmail.nl planet.nl home.nl uol.com.br bol.com.br
  terra.com.br ig.com.br mail.com email.com usa.com inbox.com inbox.lv inbox.lt mail.ee mail.bg abv.bg centrum.sk azet.sk post.cz
  volny.cz freemail.hu citromail.hu sapo.pt iol.pt online.no otenet.gr walla.co.il walla.com eircom.net bigpond.com bigpond.net.au
  optusnet.com.au xtra.co.nz ntlworld.com blueyonder.co.uk shaw.ca sympatico.ca telus.net videotron.ca earthlink.net optonline.net
  juno.com netzero.net mindspring.com yeah.net 139.com 189.cn sohu.com 21cn.com aliyun.com nate.com docomo.ne.jp ezweb.ne.jp
  softbank.ne.jp nifty.com`.split(/\s+/),
);

/** @returns whether a domain or web address belongs to a service at which anybody can have a mailbox */
export function isFreeMail(domain: string): boolean {
  const own = registrableDomain(domain) ?? '';
  const [label = '', suffix = ''] = own.split(/\.(.*)/s);
  const country = OF_COUNTRY.exec(suffix);
  return FREE_MAIL.has(own) || (FAMILIES.has(label) && country !== null && !OF_ANYBODY.has(country[2] ?? ''));
}
