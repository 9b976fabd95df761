/** Countries of the vocabulary by three-letter code, which Crunchbase uses. Source: ISO 3166-1 alpha-3. */
const PAIRS =
  `USA US GBR GB DEU DE FRA FR CAN CA IND IN CHN CN JPN JP BRA BR AUS AU NLD NL ESP ES ITA IT SWE SE CHE CH POL PL
  IRL IE DNK DK NOR NO FIN FI BEL BE AUT AT PRT PT CZE CZ ROU RO GRC GR ISR IL ARE AE SAU SA TUR TR SGP SG KOR KR IDN ID MEX MX
  ARG AR COL CO ZAF ZA NGA NG KEN KE NZL NZ HUN HU LUX LU EST EE LVA LV LTU LT BGR BG HRV HR SVK SK SVN SI SRB RS UKR UA RUS RU
  ISL IS CYP CY MLT MT EGY EG MAR MA TUN TN GHA GH ETH ET CHL CL PER PE URY UY ECU EC VNM VN THA TH MYS MY PHL PH TWN TW HKG HK
  PAK PK BGD BD LKA LK QAT QA KWT KW BHR BH JOR JO LBN LB BMU BM CRI CR PAN PA`
    .trim()
    .split(/\s+/);

/** Two-letter codes by three-letter codes. */
export const ALPHA_3: ReadonlyMap<string, string> = new Map(
  PAIRS.flatMap((code, i) => (i % 2 === 0 ? [[code, PAIRS[i + 1]!] as const] : [])),
);
