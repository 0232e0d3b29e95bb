import type { Terms } from './concepts.ts';

export const pl: Terms = {
  override:
    'zignoruj*|ignoruj*|zapomnij|zapomnijcie|pomiń|pomińcie|nie stosuj|nie przestrzegaj|przestań przestrzegać|odrzuć|lekceważ|obejdź|nie zwracaj uwagi|zlekceważ|nie wykonuj',
  prior: 'poprzedni*|wcześniejsz*|powyższ*|dotychczasow*|pierwotn*|uprzedni*|początkow*|otrzymane|dotąd',
  rules: 'instrukcj*|polece*|zasad*|wytyczn*|reguł*|komend*|rozkaz*|ogranicze*|prompt*|dyrektyw*',
  all: 'wszystki*|wszelki*|każd*|całkowicie|cał*',
  yours: 'twoje|swoje|twoich|swoich|systemow*|systemu|programist*|które otrzymał*|które dostał*',
  drop: 'zapomnij o wszystkim|zapomnij wszystko|zignoruj wszystko|zignoruj użytkownika|zignoruj prośbę użytkownika',
  reader:
    'do si|dla si|do sztucznej inteligencji|jeśli jesteś sztuczną|jeśli jesteś ai|jeśli jesteś modelem|jeśli jesteś asystentem|droga si|witaj ai|drogi asystencie ai|asystent ai|asystencie ai|agencie ai|instrukcja dla ai|instrukcje dla ai|uwaga dla ai|notatka dla ai|wiadomość dla ai|model językowy|modelu językowy|do modelu językowego|uwaga ai|dla asystenta ai|do asystenta ai|podsumowując tę wiadomość|jesteś sztuczną inteligencją|uwaga, ai',
  model: 'si|ai|model językowy|chatbot*|asystent*',
  role: 'jesteś teraz|od teraz jesteś|od tej pory jesteś|zachowuj się jak|udawaj|wciel się|działaj jako|teraz jesteś',
  mode: 'bez ograniczeń|bez żadnych ograniczeń|bez zasad|bez żadnych zasad|bez filtrów|bez cenzury|tryb programisty|tryb dewelopera|trybie dewelopera|nieograniczon*|tryb administratora|bez limitów',
  preempt:
    'twoje nowe zadanie|twoim nowym zadaniem|twoje prawdziwe zadanie|twoim prawdziwym zadaniem|zamiast podsumowywać|zamiast streszczać|zanim odpowiesz|użytkownik już|użytkownik wyraził zgodę|odpowiedz tylko|odpowiedz wyłącznie|odpowiadaj tylko|zacznij odpowiedź|zakończ odpowiedź|wykonaj tylko|wykonaj wyłącznie',
  steer: 'nowe polecenie|nowe instrukcje|nowa instrukcja|następujące instrukcje|zamiast tego|wykonaj|nowe zadanie',
  secrecy:
    'nie mów użytkownikowi|nie informuj użytkownika|bez wiedzy użytkownika|nie powiadamiaj użytkownika|bez powiadamiania użytkownika|użytkownik nie może|nie mów o tym użytkownikowi|nie wspominaj użytkownikowi|bez informowania użytkownika',
  hush: 'po cichu|potajemnie|w tajemnicy|dyskretnie|bez pytania|bez potwierdzenia|nie wspominaj|niezauważenie',
  reveal: 'pokaż|ujawnij|wyświetl|wypisz|powtórz|podaj|napisz|zdradź|wydrukuj|odpowiedz podając',
  prompt:
    'swój prompt|twój prompt|prompt systemowy|promptu systemowego|swoje instrukcje|swoje początkowe instrukcje|instrukcje systemowe|instrukcji systemowych|wiadomość systemową|swój systemowy prompt',
  send: 'wyślij|prześlij|przekaż|wysłać|opublikuj|skopiuj|eksportuj|udostępnij|przekieruj',
  sensitive:
    'hasł*|dane logowania|klucz api|klucze api|kluczy api|kontakt*|skrzynki odbiorczej|skrzynkę odbiorczą|skrzynkę|historię rozmowy|historię|rozmow*|dane klientów|listę klientów|dane bankowe|poufn*|ostatnie maile|ostatnie e-maile|prywatne pliki|tokeny|zmienne środowiskowe|wynagrodzenia',
  hand: 'wyślij nam|prześlij nam|proszę przesłać|odpowiedz podając|odpisz podając|podaj nam|wyślij mi|prześlij mi|przekaż nam|proszę podać|prosimy o przesłanie',
  ask: 'podaj|potwierdź|zweryfikuj|wprowadź|zaktualizuj|wpisz|potwierdzić',
  credential:
    'swoje hasło|swój pin|hasło do|numer karty|dane karty|kod weryfikacyjny|kod sms|kod blik|kod bezpieczeństwa|dane logowania|hasło oraz|hasło i|login i hasło|frazę odzyskiwania|kod z sms|cvv',
  pressure:
    'w ciągu 24 godzin|w ciągu 48 godzin|zostanie zablokowane|zostało zablokowane|zostanie zamknięte|zostanie zawieszone|natychmiast|pilne|w przeciwnym razie|ostatnie ostrzeżenie|niezwłocznie',
  assure:
    'nigdy nie prosimy|nigdy nie poprosi*|nie udostępniaj|nie podawaj|nigdy nie podawaj|jeśli to nie ty|uważaj na|oszust*',
  discuss: 'atakując*|atak*|na przykład|przykład*|badacz*|szkoleni*|podatnoś*|artykuł*|zdania takie|phishing*',
  mine: 'moje|moich|mój|nasze|naszych|nasz|naszego|mojego',
};
