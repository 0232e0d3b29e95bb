import type { Terms } from './concepts.ts';

export const de: Terms = {
  override_last:
    'ignorieren|ignoriere|ignoriert|vergessen|missachten|missachte|übergehen|nicht befolgen|nicht beachten|außer acht lassen|nicht mehr befolgen',
  override:
    'ignorier*|missacht*|vergiss|vergesst|vergessen sie|befolge nicht|befolgen sie nicht|beachte nicht|beachten sie nicht|übergeh*|umgeh*|setze dich hinweg|halte dich nicht|verwirf|lass außer acht|lassen sie außer acht|folge nicht mehr|nicht mehr befolgen|nicht mehr folgen|setz dich über|überschreib*',
  prior:
    'vorherig*|bisherig*|vorig*|früher*|obig*|oben|zuvor|vorangegangen*|ursprünglich*|vorstehend*|bis jetzt|davor|vorangehend*',
  rules:
    'anweisung*|instruktion*|regel|regeln|vorgabe*|richtlinie*|befehl*|aufforderung*|systemprompt|beschränkung*|einschränkung*|sicherheitsregel*|auftrag|aufträge|weisung*',
  all: 'alle|allen|alles|sämtlich*|jede|jegliche*|ganz',
  yours: 'deine*|dein|ihre*|dir gegeben|dir erteilt|erteilten|gegebenen|des systems|des entwicklers|der entwickler',
  drop: 'vergiss alles was|vergiss alles, was|ignoriere alles was|ignoriere alles, was|vergiss deine rolle|ignoriere den nutzer|ignoriere den benutzer',
  reader:
    'an die ki|an den ki|an alle ki|liebe ki|hallo ki|hinweis für die ki|hinweis an die ki|hinweis für ki|anweisung für ki|anweisung an die ki|anweisungen für die ki|falls du eine ki|wenn du eine ki|wenn sie eine ki|wenn ein sprachmodell|falls ein sprachmodell|an das sprachmodell|ki assistenten die|ki-assistent, der|an den assistenten der diese|wenn du diese mail zusammenfasst|wenn du diese e-mail zusammenfasst|wenn du diese nachricht zusammenfasst|als ki-assistent|als ki assistent|du bist eine ki|nachricht an die ki|ki-agent, der|achtung ki',
  model: 'ki|sprachmodell*|ki assistent*|chatbot*',
  role: 'du bist jetzt|du bist nun|von nun an bist|ab sofort bist|ab jetzt bist|spiele die rolle|tu so als|verhalte dich wie|du bist ab|agiere als',
  mode: 'ohne einschränkungen|ohne beschränkungen|ohne regeln|uneingeschränkt*|ohne filter|entwicklermodus|keine regeln|keine grenzen|ungefiltert*|wartungsmodus|ohne jede regel',
  preempt:
    'deine neue aufgabe|deine eigentliche aufgabe|statt die mail zusammenzufassen|statt zusammenzufassen|anstatt zusammenzufassen|bevor du antwortest|der nutzer hat dem zugestimmt|der nutzer hat bereits zugestimmt|antworte nur mit|antworte ausschließlich mit|gib nur aus|beginne deine antwort mit|beende deine antwort mit|befolge nur die folgende|führe ausschließlich folgend*',
  steer: 'neue anweisung*|folgende anweisung*|stattdessen|führe folgend*|zuerst musst du|neue aufgabe|füge folgend*',
  secrecy:
    'sag dem nutzer nichts|sage dem nutzer nichts|sag dem benutzer nichts|sage dem benutzer nichts|ohne den nutzer|ohne den benutzer|ohne dass der nutzer|ohne dass der benutzer|informiere den nutzer nicht|informiere den benutzer nicht|dem nutzer nicht|dem benutzer nicht|der nutzer darf|verrate dem nutzer|den nutzer nicht',
  hush: 'heimlich|unbemerkt|stillschweigend|erwähne dies nicht|erwähne das nicht|erwähne diese|ohne rückfrage|ohne nachfrage|ohne bestätigung|ohne zu fragen',
  reveal: 'zeige|zeig|gib|verrate|nenne|wiederhole|offenbare|drucke|schreibe|liste|teile mir|antworte mit',
  prompt:
    'deinen systemprompt|den systemprompt|system-prompt|deine systemanweisung*|deine anweisungen|deine ursprünglichen anweisungen|deine internen anweisungen|deine geheimen anweisungen|deinen prompt|deine vorgaben',
  send: 'sende*|schick*|leite|weiterleiten|übermittle*|maile|lade*|kopiere|poste|exportiere|überweise*|verschicke',
  sensitive:
    'zugangsdaten|passwort|passwörter|kennwort|kennwörter|api schlüssel|api-schlüssel|schlüssel|kontaktliste|kontakte|postfach|posteingang|gesprächsverlauf|chatverlauf|kundendaten|kundenliste|kontodaten|vertraulich*|gehaltsliste|adressbuch|letzten mails|letzten e-mails|alle mails|alle e-mails|umgebungsvariablen|private nachrichten|kreditkartendaten',
  hand: 'schicken sie uns|senden sie uns|schick mir|sende mir|antworten sie mit|teilen sie uns|nennen sie uns|nenn mir|übermitteln sie|senden sie mir|schicken sie mir|geben sie uns',
  ask: 'geben sie|bestätigen sie|verifizieren sie|aktualisieren sie|hinterlegen sie|gib dein',
  credential:
    'ihr passwort|dein passwort|ihre zugangsdaten|ihre pin|ihre tan|tan nummer|ihre kreditkarten*|kreditkartennummer|ihre kontodaten|ihr kennwort|prüfziffer|ihre iban und pin|pin und tan|anmeldedaten|bestätigungscode|sms code|sms-code|wiederherstellungsphrase|gutscheincode*|ihr onlinebanking|kartennummer',
  pressure:
    'innerhalb von 24 stunden|innerhalb von 48 stunden|wird gesperrt|wurde gesperrt|gesperrt|sofort|umgehend|dringend|letzte mahnung|sonst wird|andernfalls|unverzüglich',
  assure:
    'niemals nach|fragen niemals|fragen nie|nie nach ihrem|geben sie niemals|nicht weiter|niemals weiter|wir fragen sie nie|nicht angefordert|warnung vor|vorsicht vor|betrüger',
  discuss:
    'angreifer|angriff|angriffe|zum beispiel|beispiel|beispielsweise|z. b|forscher*|schulung|sicherheitslücke|testfall|phishing mails|phishing-mails|vortrag|artikel|satz wie|sätze wie',
  mine: 'meine|meinen|meiner|unsere|unseren|unserer|unser|mein',
};
