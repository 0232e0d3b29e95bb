import type { Terms } from './concepts.ts';

export const nl: Terms = {
  override_last: 'negeren|vergeten|omzeilen|niet volgen|niet meer volgen',
  override:
    'negeer|negeert|negeren|vergeet|sla over|omzeil|volg niet|volg niet meer|houd geen rekening|leg naast je neer|overschrijf|gehoorzaam niet',
  prior: 'vorige|eerdere|voorgaande|bovenstaande|hierboven|voorafgaande|oorspronkelijke|tot nu toe|hiervoor|eerder',
  rules:
    'instructie*|regels|regel|richtlijn*|opdracht|opdrachten|aanwijzing*|beperking*|systeemprompt|bevelen|voorschriften',
  all: 'alle|alles|elke|iedere|al',
  yours: 'je|jouw|uw|van het systeem|van de ontwikkelaar|die je kreeg|die je hebt gekregen',
  drop: 'vergeet alles wat|negeer alles wat|negeer de gebruiker|negeer het verzoek van de gebruiker',
  reader:
    'aan de ai|voor de ai|als je een ai|als u een ai|beste ai|hallo ai|hoi ai|instructie voor ai|instructies voor ai|instructies voor de ai|instructie voor de ai|notitie voor de ai|bericht aan de ai|ai-assistent die|ai assistent die|ai-agent die|taalmodel|als je een assistent|let op ai|je bent een ai|als je deze mail samenvat|als je dit bericht samenvat|aan de ai-assistent',
  model: 'ai|taalmodel*|chatbot*',
  role: 'je bent nu|jij bent nu|vanaf nu ben je|gedraag je als|doe alsof|speel de rol|u bent nu',
  mode: 'zonder beperkingen|zonder regels|zonder filters|zonder grenzen|onbeperkt*|ontwikkelaarsmodus|geen regels|geen beperkingen|ongefilterd*|beheerdersmodus',
  preempt:
    'je nieuwe taak|je echte taak|je werkelijke taak|in plaats van samen te vatten|voordat je antwoordt|voor je antwoordt|de gebruiker heeft al|de gebruiker heeft toestemming|antwoord alleen met|antwoord uitsluitend|begin je antwoord|eindig je antwoord|volg alleen',
  steer: 'nieuwe instructie*|volgende instructie*|in plaats daarvan|voer uit|nieuwe taak|doe het volgende',
  secrecy:
    'vertel de gebruiker niets|vertel het de gebruiker niet|vertel de gebruiker niet|zonder de gebruiker|zonder dat de gebruiker|informeer de gebruiker niet|de gebruiker mag|meld dit niet aan de gebruiker|zeg niets tegen de gebruiker',
  hush: 'stiekem|heimelijk|in het geheim|ongemerkt|zonder te vragen|zonder bevestiging|noem dit niet|vermeld dit niet|stilletjes',
  reveal: 'toon|laat zien|geef|onthul|druk af|herhaal|schrijf|noem|deel|stuur|antwoord met',
  prompt:
    'je systeemprompt|de systeemprompt|systeemprompt|je prompt|je instructies|systeeminstructies|je oorspronkelijke instructies|je interne regels',
  send: 'stuur|verstuur|mail|zend|upload|publiceer|exporteer|kopieer|deel|stuur door',
  sensitive:
    'wachtwoord*|inloggegevens|api-sleutel*|api sleutel*|contacten|contactenlijst|postvak in|inbox|gesprek|gespreksgeschiedenis|klantgegevens|klantenlijst|bankgegevens|vertrouwelijk*|laatste mails|privébestanden|tokens|salarissen|omgevingsvariabelen',
  hand: 'stuur ons|stuur mij|stuur me|antwoord met|mail ons|geef ons|deel met ons|geef door|app me|beantwoord deze mail met',
  ask: 'voer|bevestig|verifieer|vul|werk bij|controleer',
  credential:
    'uw wachtwoord|je wachtwoord|uw inloggegevens|uw pincode|je pincode|pincode|kaartnummer|uw pasnummer|verificatiecode|sms-code|uw bankgegevens|herstelzin|beveiligingscode|de code die|cvc',
  pressure:
    'binnen 24 uur|binnen 48 uur|wordt geblokkeerd|is geblokkeerd|wordt afgesloten|wordt opgeschort|onmiddellijk|direct|dringend|anders|definitief|laatste waarschuwing',
  assure:
    'nooit om uw|nooit om je|vragen nooit|vraagt nooit|deel nooit|deel deze code niet|niet delen|als u dit niet|geef nooit|pas op voor|oplichters',
  discuss:
    'aanvaller*|aanval|aanvallen|bijvoorbeeld|voorbeeld*|onderzoekers|training|kwetsbaarheid*|artikel|zinnen als|phishing',
  mine: 'mijn|onze|ons',
};
