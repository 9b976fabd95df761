import type { EducationRecord, ExperienceRecord } from '@quarry/directory';
import { CITIES, type City, type DepartmentId, DEPARTMENTS, type SeniorityId } from '@quarry/vocabulary';
import { DEPARTMENT_WEIGHTS, SENIORITY_WEIGHTS } from './economy.catalogue.js';
import { nameStyleOf } from './person-names.catalogue.js';
import { WeightedList, type Random } from './random.js';
import { SLUG_PREFIX, slugOfName, UniqueNames } from './slug.js';
import type { WholeCompany, WholePerson } from './whole-record.js';

/** Last year of careers; the directory does not use the clock. */
const PRESENT_YEAR = 2025;
/** Headcount below which a company is more often led by a founder than by a hired chief executive. */
const FOUNDER_LED_MAX = 250;

const seniorities = new WeightedList(SENIORITY_WEIGHTS);
const departments = new WeightedList(DEPARTMENT_WEIGHTS);
const departmentsById = new Map(DEPARTMENTS.map((department) => [department.id as DepartmentId, department]));
const citiesByCountry = new Map<string, City[]>();
for (const city of CITIES)
  citiesByCountry.set(city.countryCode, [...(citiesByCountry.get(city.countryCode) ?? []), city]);

const DEGREES = ['BSc', 'BA', 'MSc', 'MA', 'MBA', 'PhD'];
const FIELDS: Readonly<Record<string, string>> = {
  engineering: 'Computer Science',
  data: 'Statistics',
  it: 'Information Systems',
  security: 'Computer Science',
  research: 'Natural Sciences',
  finance: 'Finance',
  legal: 'Law',
  design: 'Design',
  people: 'Psychology',
};

/**
 * Generates `count` people who work at the given companies: more at larger ones, and never more than the headcount.
 * @throws RangeError when the companies together have fewer staff than `count`
 */
export function generatePeople(
  companies: readonly WholeCompany[],
  count: number,
  random: Random,
): WholePerson[] {
  const slugs = new UniqueNames();
  const people: WholePerson[] = [];
  shareOut(companies, count).forEach((share, index) => {
    const company = companies[index] as WholeCompany;
    const chiefs = new Set<DepartmentId>();
    for (let place = 0; place < share; place += 1) {
      const [seniority, department] = drawPosition(company, place, chiefs, random);
      people.push(generatePerson(people.length, company, seniority, department, companies, slugs, random));
    }
  });
  return people;
}

/** Distributes `count` people over the companies, in proportion to the logarithm of their headcount. */
function shareOut(companies: readonly WholeCompany[], count: number): number[] {
  const weights = companies.map(({ headcount }) => Math.log2(headcount + 1));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const shares = companies.map(({ headcount }, index) =>
    Math.min(headcount, Math.max(1, Math.floor(((weights[index] as number) / total) * count))),
  );
  let missing = count - shares.reduce((sum, share) => sum + share, 0);
  while (missing !== 0) {
    const before = missing;
    for (let index = 0; index < shares.length && missing !== 0; index += 1) {
      const share = shares[index] as number;
      const step = Math.sign(missing);
      const headcount = (companies[index] as WholeCompany).headcount;
      if (share + step < 1 || share + step > headcount) continue;
      shares[index] = share + step;
      missing -= step;
    }
    if (missing === before)
      throw new RangeError('The companies have fewer staff than people were asked for.');
  }
  return shares;
}

function drawPosition(
  company: WholeCompany,
  place: number,
  chiefs: Set<DepartmentId>,
  random: Random,
): [SeniorityId, DepartmentId] {
  if (place === 0) {
    chiefs.add('executive');
    return [company.headcount <= FOUNDER_LED_MAX && random.chance(0.7) ? 'founder' : 'c_level', 'executive'];
  }
  const seniority = seniorities.draw(random);
  const department = departments.draw(random);
  if (seniority !== 'c_level') return [seniority, department];
  // A company has one head per department.
  if (chiefs.has(department)) return ['manager', department];
  chiefs.add(department);
  return ['c_level', department];
}

function generatePerson(
  index: number,
  company: WholeCompany,
  seniority: SeniorityId,
  department: DepartmentId,
  companies: readonly WholeCompany[],
  slugs: UniqueNames,
  random: Random,
): WholePerson {
  const style = nameStyleOf(company.country_code);
  const first = random.pick(style.first);
  const last = random.pick(style.last);
  const home = drawHome(company, random);
  const title = titleOf(seniority, department, random);
  return {
    id: `pe_${String(index + 1).padStart(5, '0')}`,
    first_name: first,
    last_name: last,
    full_name: `${first} ${last}`,
    title,
    seniority,
    department,
    city: home.name,
    state: home.state,
    country: company.country,
    country_code: company.country_code,
    linkedin_url: `https://www.linkedin.com/in/${SLUG_PREFIX}${slugs.take(slugOfName(`${first} ${last}`))}`,
    experiences: drawExperiences(title, department, company, companies, random),
    educations: [drawEducation(department, home, random)],
    company,
  };
}

function drawHome(company: WholeCompany, random: Random): Pick<City, 'name' | 'state'> {
  const cities = citiesByCountry.get(company.country_code) ?? [];
  // Seven of eight live in the city of their company.
  return random.chance(0.875) ? { name: company.city, state: company.state } : random.pick(cities);
}

function titleOf(seniority: SeniorityId, department: DepartmentId, random: Random): string {
  const { name, chief, member } = departmentsById.get(department)!;
  switch (seniority) {
    case 'founder':
      return random.pick(['Founder', 'Co-Founder', 'Founder & CEO', 'Owner']);
    case 'c_level':
      return chief;
    case 'vp':
      return `${random.pick(['VP of', 'VP', 'Vice President of'])} ${name}`;
    case 'head':
      return `Head of ${name}`;
    case 'director':
      return random.pick([`Director of ${name}`, `${name} Director`]);
    case 'manager':
      return /Manager$/.test(member) ? member : `${name} Manager`;
    case 'senior':
      return `Senior ${member}`;
    case 'entry':
      return random.pick([member, `Junior ${member}`]);
    case 'intern':
      return `${name} Intern`;
  }
}

function drawExperiences(
  title: string,
  department: DepartmentId,
  company: WholeCompany,
  companies: readonly WholeCompany[],
  random: Random,
): ExperienceRecord[] {
  const start = Math.max(company.founded_year, PRESENT_YEAR - random.int(0, 9));
  const present = {
    title,
    company: company.name,
    company_domain: company.domain,
    start_year: start,
    end_year: null,
  };
  if (random.chance(0.3)) return [present];
  const earlier = random.pick(companies);
  const { member } = departmentsById.get(department)!;
  const past = {
    title: member,
    company: earlier.name,
    company_domain: earlier.domain,
    start_year: start - random.int(2, 6),
    end_year: start,
  };
  return [present, past];
}

function drawEducation(department: DepartmentId, home: Pick<City, 'name'>, random: Random): EducationRecord {
  return {
    school: `${home.name} ${random.pick(['University', 'Institute of Technology', 'Business School'])} (fictional)`,
    degree: random.pick(DEGREES),
    field: FIELDS[department] ?? 'Business Administration',
    end_year: random.int(1985, PRESENT_YEAR - 2),
  };
}
