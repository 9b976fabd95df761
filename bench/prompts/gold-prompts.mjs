// Our own prompts with their intents, written by hand before any reader was run on them.
//
// prompt | entity | count, or - | facet=words; …     A facet is [-]filter:value; "-" marks an exclusion.
// Ranges are min..max, either of which may be omitted; a role is its levels/its departments. `words` are those of the prompt.
const ENGLISH = `
25 fintech companies in London with 20 to 100 employees | company | 25 | industries:fintech=fintech; places:GB-london=London; headcount:20..100=20 to 100 employees
Biotech startups in Boston founded after 2018 | company | - | industries:biotechnology=Biotech; places:US-boston=Boston; founded:2019..=founded after 2018
Software companies in Germany, but not in Berlin | company | - | industries:software=Software; places:DE=Germany; -places:DE-berlin=Berlin
CFOs of logistics firms in the Netherlands | person | - | industries:logistics=logistics; places:NL=Netherlands; roles:c_level/finance=CFOs
10 insurance companies with more than 5,000 employees | company | 10 | industries:insurance=insurance; headcount:5001..=more than 5,000 employees
Gaming studios in Tokyo or Osaka | company | - | industries:gaming=Gaming; places:JP-tokyo=Tokyo; places:JP-osaka=Osaka
B2B cybersecurity companies in Israel | company | - | business_models:b2b=B2B; industries:cybersecurity=cybersecurity; places:IL=Israel
Construction firms in Texas founded before 1970 | company | - | industries:construction=Construction; places:US-TX=Texas; founded:..1969=founded before 1970
CTOs at e-commerce companies in Spain that use Shopify | person | - | roles:c_level/engineering=CTOs; industries:ecommerce=e-commerce; places:ES=Spain; technologies:shopify=Shopify
40 privately held automotive companies in Stuttgart | company | 40 | ownerships:private=privately held; industries:automotive=automotive; places:DE-stuttgart=Stuttgart
Edtech companies that are hiring in India | company | - | industries:edtech=Edtech; is_hiring:true=hiring; places:IN=India
Pharmaceutical companies in Switzerland with revenue over $50m | company | - | industries:pharmaceuticals=Pharmaceutical; places:CH=Switzerland; revenue_usd:50000001..=revenue over $50m
Renewable energy companies in Denmark with fewer than 50 staff | company | - | industries:clean_energy=Renewable energy; places:DK=Denmark; headcount:..49=fewer than 50 staff
Law firms in Canada, not in Toronto | company | - | industries:legal=Law; places:CA=Canada; -places:CA-toronto=Toronto
Series A fintech companies in New York | company | - | funding_stages:series_a=Series A; industries:fintech=fintech; places:US-new-york=New York
Heads of Marketing at SaaS companies in Dublin | person | - | roles:head/marketing=Heads of Marketing; industries:software=SaaS; places:IE-dublin=Dublin
15 medical device companies in Sweden or Finland with 100-500 employees | company | 15 | industries:medical_devices=medical device; places:SE=Sweden; places:FI=Finland; headcount:100..500=100-500 employees
Media companies in Paris excluding agencies | company | - | industries:media=Media; places:FR-paris=Paris; -industries:marketing_agency=agencies
Telecom companies in Brazil founded between 1990 and 2005 | company | - | industries:telecommunications=Telecom; places:BR=Brazil; founded:1990..2005=between 1990 and 2005
Companies in Austin using Salesforce and HubSpot | company | - | places:US-austin=Austin; all_technologies:salesforce=Salesforce; all_technologies:hubspot=HubSpot
VPs of Sales at hardware companies in Japan | person | - | roles:vp/sales=VPs of Sales; industries:hardware=hardware; places:JP=Japan
30 agriculture companies in Kenya or Nigeria | company | 30 | industries:agriculture=agriculture; places:KE=Kenya; places:NG=Nigeria
Publicly traded mining companies in Australia | company | - | ownerships:public=Publicly traded; industries:mining=mining; places:AU=Australia
Proptech companies in DACH with 10+ employees | company | - | industries:proptech=Proptech; places:dach=DACH; headcount:10..=10+ employees
Seed stage healthtech companies in Lisbon | company | - | funding_stages:seed=Seed stage; industries:healthtech=healthtech; places:PT-lisbon=Lisbon
Retail companies in Italy without Milan | company | - | industries:retail=Retail; places:IT=Italy; -places:IT-milan=Milan
Fashion brands in Barcelona that are not hiring | company | - | industries:fashion=Fashion; places:ES-barcelona=Barcelona; -is_hiring:true=not hiring
Consulting firms in Singapore with at least 200 people | company | - | industries:consulting=Consulting; places:SG=Singapore; headcount:200..=at least 200 people
50 travel companies in Greece or Turkey | company | 50 | industries:travel=travel; places:GR=Greece; places:TR=Turkey
Aerospace companies in Toulouse founded since 2000 | company | - | industries:aerospace=Aerospace; places:FR-toulouse=Toulouse; founded:2000..=founded since 2000
HR managers at staffing agencies in Chicago | person | - | roles:manager/people=HR managers; industries:staffing=staffing agencies; places:US-chicago=Chicago
Semiconductor companies in South Korea with over 1,000 employees | company | - | industries:semiconductors=Semiconductor; places:KR=South Korea; headcount:1001..=over 1,000 employees
12 marketplaces in Poland | company | 12 | business_models:marketplace=marketplaces; places:PL=Poland
Chemicals companies in Antwerp with a founder who likes sailing | company | - | industries:chemicals=Chemicals; places:BE-antwerp=Antwerp; unknown:sailing=a founder who likes sailing
Accounting firms in Denver funded by Sequoia | company | - | industries:accounting=Accounting; places:US-denver=Denver; unknown:sequoia=funded by Sequoia
a dozen food companies in Mexico City | company | 12 | industries:food_beverage=food; places:MX-mexico-city=Mexico City
Real estate investors aside, I want architecture offices in Vienna | company | - | industries:architecture=architecture; places:AT-vienna=Vienna; -industries:real_estate=Real estate
Whoever runs engineering at Dutch AI companies with 11 to 50 people | person | - | roles:head/engineering=runs engineering; places:NL=Dutch; industries:artificial_intelligence=AI; headcount:11..50=11 to 50 people
Hotels in Dubai, the twenty biggest by headcount | company | 20 | industries:hospitality=Hotels; places:AE-dubai=Dubai
Tiny consultancies (2-9 people) around Manchester | company | - | industries:consulting=consultancies; headcount:2..9=2-9 people; places:GB-manchester=Manchester
Banks in the Nordics that were around before 1900 | company | - | industries:banking=Banks; places:nordics=Nordics; founded:..1899=before 1900
Nonprofits in Nairobi, anything but education | company | - | industries:nonprofit=Nonprofits; places:KE-nairobi=Nairobi; -industries:education=education`;

const OTHERS = `
20 Softwareunternehmen in München mit 50 bis 200 Mitarbeitern | company | 20 | industries:software=Softwareunternehmen; places:DE-munich=München; headcount:50..200=50 bis 200 Mitarbeitern
Entreprises de biotechnologie à Lyon fondées après 2015 | company | - | industries:biotechnology=biotechnologie; places:FR-lyon=Lyon; founded:2016..=fondées après 2015
15 empresas de logística en España, pero no en Madrid | company | 15 | industries:logistics=logística; places:ES=España; -places:ES-madrid=Madrid
Aziende di moda a Milano con più di 100 dipendenti | company | - | industries:fashion=moda; places:IT-milan=Milano; headcount:101..=più di 100 dipendenti
Verzekeraars in Amsterdam met minder dan 50 medewerkers | company | - | industries:insurance=Verzekeraars; places:NL-amsterdam=Amsterdam; headcount:..49=minder dan 50 medewerkers
東京のゲーム会社 30社 | company | 30 | places:JP-tokyo=東京; industries:gaming=ゲーム`;

/** Prompts with `language` "en" or "other". */
export const GOLD_PROMPTS = [...read(ENGLISH, 'en'), ...read(OTHERS, 'other')];

function read(lines, language) {
  return lines
    .trim()
    .split('\n')
    .map((line) => {
      const [prompt, entity, count, facets] = line.split(' | ');
      return {
        prompt,
        entity,
        language,
        count: count === '-' ? null : Number(count),
        facets: facets
          .split('; ')
          .map((each) => ({
            facet: each.slice(0, each.indexOf('=')),
            words: each.slice(each.indexOf('=') + 1),
          })),
      };
    });
}
