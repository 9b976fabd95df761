/** Given and family names of one region. */
export interface NameStyle {
  readonly first: readonly string[];
  readonly last: readonly string[];
}

const style = (first: string, last: string): NameStyle => ({
  first: first.trim().split(/\s+/),
  last: last.trim().split(/\s+/),
});

const ENGLISH = style(
  'James Emma Oliver Grace Henry Alice Thomas Lucy William Hannah George Sophie Daniel Rachel Samuel Megan Jack Olivia Edward Laura Ryan Claire Adam Natalie Ethan Zoe Peter Helen Marcus Diana Nathan Ivy Simon Ruth Connor Paige Dylan Faith Victor Joanna',
  'Harper Bennett Walsh Turner Coleman Fletcher Hughes Parker Reed Sutton Barker Dawson Ellison Foster Graham Holloway Ingram Jennings Kirby Lawson Mercer Norton Osborne Prescott Quinn Ramsey Shepherd Thornton Underhill Vaughn Whitaker Yates Ashford Bramwell Carver Dunmore Eastwood Farrow Goodwin Hartley',
);
const GERMAN = style(
  'Lukas Anna Maximilian Lena Felix Julia Jonas Katharina Tobias Sabine Stefan Miriam Andreas Franziska Matthias Johanna Florian Nina Sebastian Petra Moritz Greta Jan Ute',
  'Bergmann Hoffmann Krüger Vogel Lindner Brandt Keller Schreiber Winkler Baumann Seidel Hartmann Köhler Ziegler Albrecht Reuter Sommer Haas Dietrich Engel Kuhn Pohl Steiner Wolff',
);
const FRENCH = style(
  'Lucas Camille Hugo Chloé Louis Manon Antoine Élodie Julien Margaux Mathieu Sophie Nicolas Aurélie Pierre Juliette Étienne Amélie Rémi Céline',
  'Lefèvre Moreau Girard Bonnet Dupuis Fontaine Rousseau Mercier Blanchard Gauthier Perrin Chevalier Marchand Renard Leclerc Barbier Vasseur Delmas Roussel Picard',
);
const SPANISH = style(
  'Alejandro Lucía Javier María Carlos Sofía Diego Carmen Pablo Elena Sergio Valentina Andrés Paula Fernando Isabel Rafael Daniela Miguel Camila',
  'García Navarro Ortega Castillo Morales Vega Serrano Molina Delgado Herrera Iglesias Campos Fuentes Reyes Cabrera Santana Ibáñez Medina Rojas Aguilar',
);
const PORTUGUESE = style(
  'João Beatriz Tiago Mariana Pedro Inês Rui Catarina Gustavo Larissa Rafael Fernanda Bruno Camila André Leticia Diogo Helena',
  'Silva Oliveira Pereira Costa Almeida Carvalho Ribeiro Teixeira Barbosa Cardoso Nogueira Moreira Azevedo Fonseca Tavares Pinto Moura Freitas',
);
const ITALIAN = style(
  'Marco Giulia Luca Chiara Matteo Francesca Alessandro Martina Davide Elisa Lorenzo Federica Stefano Valeria Paolo Silvia',
  'Rossi Ferrari Bianchi Romano Conti Greco Marino Lombardi Moretti Barbieri Fontana Santoro Rinaldi Caruso Ferrara Galli',
);
const DUTCH = style(
  'Daan Sanne Bram Lotte Thijs Femke Jeroen Anouk Ruben Maaike Pieter Iris Niels Eline Koen Marloes',
  'Visser Bakker Smit Mulder Bos Vos Dekker Hendriks Dijkstra Postma Kuipers Willems Claes Peeters Maes Jacobs',
);
const NORDIC = style(
  'Erik Astrid Lars Ingrid Magnus Freja Nils Maja Henrik Signe Anders Elin Jonas Linnea Mikkel Sofie Aleksi Aino Eero Kaisa',
  'Lindqvist Sjöberg Bergström Nyström Holm Dahl Ekström Lund Nordin Hansen Mikkelsen Kjær Haugen Solberg Berg Virtanen Korhonen Laine Nieminen Hagen',
);
const SLAVIC = style(
  'Piotr Katarzyna Tomasz Agnieszka Jakub Magdalena Marek Ewa Pavel Tereza Jan Lucie Michal Petra Adam Zuzanna',
  'Kowalczyk Zieliński Wójcik Lewandowski Nowicki Mazur Krawczyk Novák Dvořák Svoboda Černý Procházka Kučera Horák Pawlak Sikora',
);
const ROMANIAN = style(
  'Andrei Ioana Mihai Elena Radu Cristina Vlad Ana',
  'Popescu Ionescu Dumitru Stan Radu Marin Tudor Dobre Barbu Nistor',
);
const GREEK = style(
  'Nikos Eleni Giorgos Maria Dimitris Katerina Kostas Sofia',
  'Papadakis Georgiou Nikolaidis Makris Pappas Vlachos Alexiou Karras Economou Stavrou',
);
const HEBREW = style(
  'Noam Tamar Yonatan Maya Eitan Shira Amir Noa Gal Yael',
  'Cohen Levi Mizrahi Peretz Biton Friedman Katz Azoulay Shapiro Golan',
);
const ARABIC = style(
  'Omar Layla Khalid Fatima Yousef Noura Hassan Mariam Tariq Reem',
  'Al-Farsi Haddad Mansour Nasser Rahman Saleh Al-Amin Khoury Darwish Qasim',
);
const TURKISH = style(
  'Emre Elif Mehmet Zeynep Can Ayşe Burak Selin Kerem Deniz',
  'Yılmaz Kaya Demir Şahin Çelik Aydın Özdemir Arslan Doğan Kılıç',
);
const INDIAN = style(
  'Arjun Priya Rohan Ananya Vikram Neha Rahul Kavya Aditya Pooja Sanjay Meera Karthik Divya Amit Shreya Nikhil Isha',
  'Sharma Patel Reddy Iyer Gupta Nair Mehta Rao Singh Desai Kulkarni Banerjee Chopra Joshi Menon Kapoor Verma Bhat',
);
const CHINESE = style(
  'Wei Li Jing Hao Xin Yan Ming Fang Jun Mei Lei Na Tao Hui Bo Ling',
  'Wang Zhang Liu Chen Yang Zhao Huang Zhou Wu Xu Sun Zhu Lin He Guo Luo',
);
const JAPANESE = style(
  'Haruto Yui Ren Sakura Sota Aoi Daiki Hana Kenji Emi Takumi Rin Yuto Mio',
  'Sato Suzuki Takahashi Tanaka Watanabe Ito Yamamoto Nakamura Kobayashi Kato Yoshida Yamada Sasaki Matsumoto',
);
const KOREAN = style(
  'Min-jun Seo-yeon Ji-ho Ha-eun Do-yun Soo-ah Jun-seo Ji-woo Hyun-woo Eun-ji',
  'Kim Lee Park Choi Jung Kang Cho Yoon Jang Lim',
);
const INDONESIAN = style(
  'Budi Siti Agus Dewi Andi Putri Rizky Ayu Dimas Ratna',
  'Santoso Wijaya Pratama Hidayat Saputra Kusuma Nugroho Setiawan Lestari Gunawan',
);
const WEST_AFRICAN = style(
  'Chinedu Amara Tunde Ngozi Emeka Folake Ifeanyi Adaeze Kunle Zainab',
  'Okafor Adeyemi Eze Balogun Nwosu Okonkwo Adebayo Bello Chukwu Ogunleye',
);
const EAST_AFRICAN = style(
  'Brian Wanjiru Kevin Achieng David Njeri Peter Akinyi Samuel Wambui',
  'Kamau Otieno Mwangi Odhiambo Kiprono Njoroge Wafula Kariuki Mutua Cheruiyot',
);
const SOUTH_AFRICAN = style(
  'Thabo Lerato Johan Naledi Sipho Anika Pieter Zanele Themba Karin',
  'Nkosi Dlamini Botha Mokoena Pretorius Khumalo Naidoo Venter Molefe Steyn',
);

const STYLES: ReadonlyArray<readonly [string, NameStyle]> = [
  ['US GB CA AU NZ IE', ENGLISH],
  ['DE AT CH', GERMAN],
  ['FR', FRENCH],
  ['ES MX AR CO', SPANISH],
  ['PT BR', PORTUGUESE],
  ['IT', ITALIAN],
  ['NL BE', DUTCH],
  ['SE DK NO FI', NORDIC],
  ['PL CZ', SLAVIC],
  ['RO', ROMANIAN],
  ['GR', GREEK],
  ['IL', HEBREW],
  ['AE SA', ARABIC],
  ['TR', TURKISH],
  ['IN', INDIAN],
  ['CN SG', CHINESE],
  ['JP', JAPANESE],
  ['KR', KOREAN],
  ['ID', INDONESIAN],
  ['NG', WEST_AFRICAN],
  ['KE', EAST_AFRICAN],
  ['ZA', SOUTH_AFRICAN],
];
const styleByCountry = new Map(
  STYLES.flatMap(([codes, names]) => codes.split(' ').map((code) => [code, names] as const)),
);

/** @returns the names that are usual in a country; English ones when the catalogue has none for it */
export function nameStyleOf(countryCode: string): NameStyle {
  return styleByCountry.get(countryCode) ?? ENGLISH;
}
