/** Languages that are distinguished by their words: those of the built-in voices in Latin script, and German. */
export const DETECTED_LANGUAGES = ['en', 'es', 'fr', 'it', 'pt', 'de'] as const;
export type DetectedLanguage = (typeof DETECTED_LANGUAGES)[number];

/** Frequent function words of each language. A word of several languages counts less for each of them. */
export const FUNCTION_WORDS: Readonly<Record<DetectedLanguage, readonly string[]>> = {
  en: words(`the of and to in is was for that it with as his he be on by at are this have from or had an they you
    which not but were all their one has been would there what will we more when who if no out so said up its about
    into than them can only other new some could time these two may then do first any my now such like our over man me
    even most made after also did many before must through years where much your way well down should because each
    just those people how too good very make world still own see work long get here between both life being under
    never day same another know while last might us great old year off come since against go came right used take
    three i am she her him a don't didn't it's i'm isn't can't won't doesn't let's that's there's what's does why
    let please yes hello thank thanks want need give tell something nothing everything again always every away upon
    cannot until during within without per per using use used include includes including based`),
  es: words(`de la que el en y a los se del las un por con no una su para es al lo como más o pero sus le ha me si sin
    sobre este ya entre cuando todo esta ser son dos también fue había era muy años hasta desde está mi porque qué
    sólo yo hay vez puede todos así nos ni parte tiene él uno donde bien tiempo mismo ese ahora cada e vida otro
    después te otros aunque esa eso hace otra gobierno tan durante siempre día tanto ella tres sí dijo sido gran país
    según menos mundo año antes estado hombre mientras entonces hoy nada usted nosotros ellos esto estos estas cómo
    dónde cuándo quién cuál hola gracias favor buenos buenas señor señora quiero tengo tienes vamos estoy eres soy
    aquí allí mucho mucha muchos poco han hemos he has fueron sea solo aún tu tus nuestro nuestra hacia quien
    quienes cualquier cosa cosas casa tener hacer puedo puedes creo verdad ayer mañana noche tarde mejor nunca algo
    alguien trabajo ciudad gente`),
  fr: words(`de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont avec ou son
    aux d'un cette d'une ont ses mais comme on tout nous sa fait été aussi leur bien peut ces y deux ans encore même
    elle entre sans fut si vous je tu moi toi lui eux ils elles était avait être avoir dit faire très où quand
    notre votre leurs nos vos mon ma mes ton ta tes c'est n'est qu'il qu'elle qu'on qu'un j'ai l'on d'autres s'il
    donc alors ainsi parce depuis pendant avant après chez vers sous rien jamais toujours peu trop beaucoup
    aujourd'hui bonjour merci oui non voici voilà ça cela ceux celle celui quel quelle quelques chaque autre autres
    suis es sommes êtes vais va allons allez vont peux veux doit faut lors afin selon dont ni car`),
  it: words(`di e il la che in a per un è del non sono le si da con i una al dei nel lo come più gli ha alla della ma
    delle anche o dal su se ci o all'interno ad dell' l' nella sul degli questo questa questi queste cui dalla due
    tutti tutto tra essere stato suo sua suoi loro ai era alle dopo ed senza solo quando fra mi io tu lui lei noi voi
    perché poi così molto ancora già prima sia anni fatto ogni dove chi hanno ho hai abbiamo avete può nostro nostra
    mio mia tuo tua ciao grazie buongiorno sì oggi domani ieri mai sempre bene qui là quello quella quelli negli
    nelle dai dalle sulla sulle agli stata stati state mentre però oppure quindi infatti c'è cosa qualche altri altro
    altra fino contro durante verso vi ne nei`),
  pt: words(`de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das tem à seu sua
    ou ser quando muito há nos já está eu também só pelo pela até isso ela entre era depois sem mesmo aos ter seus quem
    nas me esse eles estão você tinha foram essa num nem suas meu às minha têm numa pelos elas havia seja qual será nós
    tenho lhe deles essas esses pelas este fosse dele tu te vocês vos lhes meus minhas teu tua nosso nossa dela esta
    estes estas aquele aquela isto aquilo estou estava são ainda onde bem agora hoje sempre nunca porque então
    obrigado obrigada olá bom boa dia sim vai vamos pode podem fazer foi sobre segundo anos após durante contra outro
    outra outros cada todo toda todos todas muitos apenas nesta neste desta deste
    enquanto vezes várias coisa coisas pessoas ano ontem amanhã casa noite tarde melhor algo alguém trabalho cidade
    gente quero posso preciso vou fui onde`),
  de: words(`der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat
    dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr
    durch man sein wurde sei prozent hatte kann gegen vom können schon wenn habe seine ihre dann unter wir soll ich
    eines jahr zwei jahren diese dieser dieses wieder keine uhr seiner worden will zwischen immer was sagte gibt alle
    seit muss wurden beim doch jetzt waren drei neue damit bereits da ab ohne sondern selbst ersten nun etwa heute
    weil ihm menschen ihr uns mich mir dir dich euch du bin bist seid ja nein danke bitte hallo guten gut sehr viel
    viele hier dort wo wer warum dieses jeder jede ihren ihrem meine mein deine dein unser unsere`),
};

function words(list: string): string[] {
  return [...new Set(list.split(/\s+/))];
}
