const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/**
 * Words without a condition. A fragment that consists only of these is never reported as not understood; any other fragment
 * that no recogniser has used is.
 */
export const STOP_WORDS = set(`
  a an the this that these those there here it its they them their theirs we us our ours you your yours i my me mine he she his her
  is are was were be been being am do does did has have had having will would shall should could can may might let lets
  of in on at by to for from with within into onto across around through via as per than then so and or nor but if when while
  which who whom whose what where how why
  please kindly thanks thank hi hello hey dear ok okay ideally maybe perhaps just simply really very quite only also too
  find get give show list search look looking want wanted need needed needs like seeking seek fetch pull compile build create make
  generate produce prepare provide return identify discover source gather collect retrieve locate draw put together out up help
  send tell interested table list lists sheet spreadsheet csv overview set names result results rows row entries entry
  some any each every ones other others another more such certain several various different number numbers few couple many much
  based located headquartered headquarters hq situated living live lives residing reside resides operating operate operates active
  working work works worked works job jobs role roles position positions title titled
  company's companies' industry industries sector sectors space field domain fields vertical verticals area areas market markets business businesses
  new-line currently current now today present existing good great best suitable relevant potential possible prospective prospects
  people's etc eg ie e g i.e e.g
  im ive id were youre dont cant whats thats heres were's doesnt isnt arent
  want wants wanting trying try hoping hope goal called named name id's
  all whole total entire full complete
  data information info details detail
  same kind kinds type types sort level offices office base bases
  using use our team teams me myself right must
  target targeting reach contact contacts outreach campaign mostly mainly primarily specifically especially particularly
  whether including include included also both either
  asap quick quickly soon urgent urgently immediately promptly swiftly um uh er hmm oh ah wow yes yeah yep sure alright
  cool awesome amazing nice fantastic wonderful lovely neat super pretty fancy simple interesting exciting
  basically actually literally honestly obviously essentially somehow anyway somewhat fairly rather
  morning afternoon evening cheers appreciate appreciated grateful sorry excuse regards greetings everyone's
  exist exists existing everything anything something wonder wondering love loved next
`);
