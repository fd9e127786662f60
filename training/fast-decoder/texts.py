"""Texts for the teacher in the nine languages of the server, as `language<TAB>sentence` lines.

    python texts.py --count 6000 --seed 1

Generated from small grammars, so that no corpus is needed: the decoder learns phonemes and their transitions, not meaning.
"""

import argparse
import random

#: Relative frequency of each language. English is used most; languages with a different phonology need more examples.
SHARES = {"en-US": 24, "en-GB": 9, "es": 8, "fr": 18, "it": 7, "pt-BR": 8, "hi": 9, "ja": 8, "zh": 9}

#: Per language: sentence patterns, and the words of their slots. `{n}` is a number, which the text front end spells out.
GRAMMARS: dict[str, tuple[list[str], dict[str, list[str]]]] = {
    "en": (
        [
            "The {who} {did} the {what} near the {where} {when}.",
            "{think} the {who} {did} a {how} {what}, because {why}.",
            "Why would the {who} want a {how} {what} from the {where}?",
            "Please {do} before the {who} comes back to the {where}.",
            "If {why}, we should {do} and meet {name} at the {where}!",
            "{name} paid {n} dollars for the {how} {what}; {name} would not.",
            "There were {n} people at the {where}, and {n} of them {did} the {what}.",
            "\"{think} so,\" said {name}, \"but {why}.\"",
            "Could you {do}, or would you rather wait for {name} until {n}?",
            "What a {how} {what}!",
            "Neither {name} nor the {who} {did} the {what}, although {why}.",
            "Yes, {do}.",
        ],
        {
            "who": "captain,teacher,neighbor,young doctor,old farmer,painter,judge,baker,nurse,pilot,musician,stranger,mayor,gardener,driver,engineer,reporter,lawyer,child,physicist,church choir,queen,thief,zoologist,euphoric crowd".split(","),
            "what": "letter,basket,violin,yellow umbrella,broken clock,pair of shoes,map,silver cup,heavy box,photograph,bicycle,newspaper,bottle of juice,blanket,wooden chair,lamp,jar of honey,ticket,rope,piece of cheese,treasure,garage key,thumb ring,feather,vase,sixth chapter,rhythm,measure of oil,toy".split(","),
            "where": "harbor,village,kitchen,museum,station,orchard,theater,library,valley,market,chapel,office,forest,bridge,island,studio,courtyard,bakery,lighthouse,university,gulf,pasture,south beach,azure lake".split(","),
            "did": "carried,found,borrowed,noticed,repaired,described,forgot,watched,sold,painted,dropped,hid,measured,chose,brought,examined,returned,lost,threw away,polished,judged,wished for,asked about,froze,crushed,split,thanked us for".split(","),
            "when": "this morning,after the storm,before breakfast,late in the evening,during the winter,on a quiet Sunday,at the end of the month,without any warning,for the third time,just before sunrise,when the bell rang,on May 4th,at 7:45".split(","),
            "how": "narrow,cheerful,dusty,enormous,gentle,rough,purple,unusual,fresh,silent,vague,joyful,shallow,thick,bright,modern,extraordinary,soothing,yellowish,whispering,awkward,precious".split(","),
            "think": "I think,We know,They said,She believed,Everyone hoped,He explained,You might find,It seems,Nobody doubted,My sister says".split(","),
            "why": "the weather was changing,there was nothing else to do,the road had been closed,it cost too much,we had been waiting for hours,the water was still cold,his voice was too quiet,they measured it twice,you asked for it,the light went out,both of us were breathing hard,the engine rattled,she usually laughs".split(","),
            "do": "hurry,listen,leave,stay,argue,breathe,choose,jump,whisper,join us,turn around,begin again,put it through the mesh,vote,sing louder".split(","),
            "name": "George,Matthew,Joyce,Theodore,Chloe,Vivian,Yasmin,Zachary,Shirley,Hugh,Charlotte,Quentin,Faith,Raymond,Beth".split(","),
        },
    ),
    "es": (
        [
            "{who} {did} {what} {where} {when}.",
            "¿Por qué {did} {who} {what}?",
            "{when_}, {who} {did} {what}, porque {why}.",
            "Había {n} personas {where}, y {who} {did} {what}.",
            "¡Qué sorpresa! {who} {did} {what} por {n} euros.",
            "No sé si {who} {did} {what} {where}; dicen que {why}.",
        ],
        {
            "who": "el panadero,la vecina,mi hermano mayor,un joven cirujano,la jueza,el guitarrista,aquella niña,don Joaquín,la señora Ibáñez,el cartero,un extraño,la pingüina del zoo,el rey".split(","),
            "did": "encontró,perdió,pintó,llevó,guardó,vendió,describió,rompió,eligió,miró,arregló,olvidó,compró,escuchó".split(","),
            "what": "una carta amarilla,el reloj roto,dos zapatos viejos,la guitarra,un jarrón de vidrio,la llave del garaje,quince manzanas,el periódico,un paraguas,la fotografía,el queso,una caja pesada,un kilo de azúcar,la cigüeña,un cinturón rojo,tres churros,la lluvia de estrellas,un ferrocarril,el yogur,una hoja seca".split(","),
            "where": "en el mercado,cerca del puerto,detrás de la iglesia,junto al río,en la biblioteca,bajo el puente,en Zaragoza,en la montaña,frente al ayuntamiento".split(","),
            "when": "ayer por la tarde,esta mañana,el lunes pasado,después de la lluvia,a las 6,durante el invierno,sin avisar,hace mucho tiempo,el 12 de junio".split(","),
            "why": "hacía mucho frío,nadie lo esperaba,el camino estaba cerrado,costaba demasiado,la lluvia no cesaba,los niños ya dormían,se había apagado la luz,el tren llegó tarde,ella no quiso,hubo un terremoto".split(","),
        },
    ),
    "fr": (
        [
            "{who} {did} {what} {where} {when}.",
            "Pourquoi est-ce que {who} {did} {what} ?",
            "{when_}, {who} {did} {what}, parce que {why}.",
            "Il y avait {n} personnes {where}, et {who} {did} {what}.",
            "Quelle surprise ! {who} {did} {what} pour {n} euros.",
            "Je ne sais pas si {who} {did} {what} {where} ; on dit que {why}.",
            "{who} {will} {what} avant {until}, mais {why}.",
            "Regardez : {what}, {what} et {what} !",
            "Est-ce vraiment {who} qui {did} {what} {where} ?",
            "Rendez-vous {where}, {day}, à {n} heures précises.",
            "{name} et {name} voudraient {do} {where}, {day}.",
            "Il vaut mieux {do} que {do}, disait {who}.",
            "Non, {name} ne peut pas {do} : {why}.",
        ],
        {
            "who": "le boulanger,ma voisine,un jeune chirurgien,la juge,le peintre,cette enfant,monsieur Lefebvre,madame Dubois,le facteur,un inconnu,ma grand-mère,le garagiste,l'ingénieur,le directeur du théâtre,la reine,un vieux marin,les trois frères,ma cousine Brigitte,le professeur d'histoire,un groupe d'amis,la bergère,quelqu'un,le premier ministre,l'équipe entière".split(","),
            "did": "a trouvé,a perdu,a peint,a emporté,a caché,a vendu,a décrit,a cassé,a choisi,a regardé,a réparé,a oublié,a acheté,a écouté,a traversé,a brûlé,a rendu,a craint,a mordu,a entendu,a surpris,a compris,a rejoint,a enfoncé".split(","),
            "what": "une lettre jaune,l'horloge cassée,deux vieilles chaussures,un violon,un vase en verre,la clé du garage,quelques pommes vertes,le journal,un parapluie,la photographie,un morceau de fromage,une boîte lourde,l'oignon rouge,huit feuilles brunes,un grand pantalon brun,la moindre trace,le pain blanc,une orange ronde,quatre cartes postales,un parfum d'ambre,le tronc d'arbre,cinq singes,une tranche de jambon,le vingtième étage,la guirlande,une drôle d'affaire,un brin d'herbe,le timbre,un feu rouge,une bonne nouvelle,le beurre et le sucre,un œuf dur,la grenouille,deux pneus neufs".split(","),
            "where": "au marché,près du port,derrière l'église,au bord de la rivière,à la bibliothèque,sous le pont,à Bordeaux,dans la montagne,devant la mairie,dans le train,à l'ombre du grand chêne,au coin de la rue,en pleine campagne,chez le coiffeur,entre Tours et Reims,au fond du couloir,à l'intérieur".split(","),
            "when": "hier soir,ce matin,lundi dernier,après la pluie,à 7 heures,pendant l'hiver,sans prévenir,il y a longtemps,le 14 juillet".split(","),
            "why": "il faisait froid,personne ne l'attendait,la route était fermée,cela coûtait trop cher,la pluie continuait,les enfants dormaient déjà,la lumière s'est éteinte,le vent tournait,on n'a rien compris,leur fils était malade,il manque encore une pièce,l'eau montait toujours,les magasins ferment à dix-neuf heures,tout le monde riait,j'en ai besoin,c'est un peu loin,un oiseau chantait".split(","),
            "will": "prendra,ouvrira,cherchera,couvrira,transportera,mangera,construira,remplira,changera,nettoiera".split(","),
            "until": "le printemps,la fin du mois,demain matin,quinze jours,l'heure du déjeuner,trente minutes,le vingt et un mars".split(","),
            "day": "lundi,mardi prochain,mercredi matin,jeudi soir,vendredi onze juin,samedi,dimanche,le premier janvier,le trente octobre,en février".split(","),
            "do": "prendre le bus,dormir un peu,attendre dehors,répondre au courrier,boire un verre d'eau,marcher vite,peindre la cuisine,rentrer à pied,apprendre à conduire,fermer les fenêtres,rire que pleurer,partir plus tôt,choisir une couleur".split(","),
            "name": "Jean,Françoise,Gérard,Martin,Aurore,Bernard,Hugues,Sylvain,Mireille,Vincent,Ursule,Blandine,Benjamin".split(","),
        },
    ),
    "it": (
        [
            "{who} {did} {what} {where} {when}.",
            "Perché {who} {did} {what}?",
            "{when_}, {who} {did} {what}, perché {why}.",
            "C'erano {n} persone {where}, e {who} {did} {what}.",
            "Che sorpresa! {who} {did} {what} per {n} euro.",
            "Non so se {who} {did} {what} {where}; dicono che {why}.",
        ],
        {
            "who": "il panettiere,la vicina,un giovane chirurgo,la giudice,il pittore,quella bambina,il signor Bianchi,la signora Gallo,il postino,uno sconosciuto,mia nonna,lo zio Giuseppe,l'ingegnere".split(","),
            "did": "ha trovato,ha perso,ha dipinto,ha portato,ha nascosto,ha venduto,ha descritto,ha rotto,ha scelto,ha guardato,ha riparato,ha dimenticato,ha comprato,ha ascoltato".split(","),
            "what": "una lettera gialla,l'orologio rotto,due vecchie scarpe,il violino,un vaso di vetro,la chiave del garage,alcune mele verdi,il giornale,un ombrello,la fotografia,un pezzo di formaggio,una scatola pesante,gli gnocchi,uno specchio,un cuscino azzurro,tre sciarpe,l'acqua frizzante,uno zaino,il coniglio,un foglio bianco".split(","),
            "where": "al mercato,vicino al porto,dietro la chiesa,lungo il fiume,in biblioteca,sotto il ponte,a Bologna,in montagna,davanti al municipio".split(","),
            "when": "ieri sera,stamattina,lunedì scorso,dopo la pioggia,alle 6,durante l'inverno,senza avvisare,molto tempo fa,il 25 aprile".split(","),
            "why": "faceva freddo,nessuno lo aspettava,la strada era chiusa,costava troppo,la pioggia non smetteva,i bambini dormivano già,si è spenta la luce,il treno era in ritardo,lei non voleva,c'era uno sciopero".split(","),
        },
    ),
    "pt-BR": (
        [
            "{who} {did} {what} {where} {when}.",
            "Por que {who} {did} {what}?",
            "{when_}, {who} {did} {what}, porque {why}.",
            "Havia {n} pessoas {where}, e {who} {did} {what}.",
            "Que surpresa! {who} {did} {what} por {n} reais.",
            "Não sei se {who} {did} {what} {where}; dizem que {why}.",
        ],
        {
            "who": "o padeiro,a vizinha,um jovem cirurgião,a juíza,o pintor,aquela menina,o senhor Guimarães,a dona Conceição,o carteiro,um estranho,minha avó,o tio João,a engenheira".split(","),
            "did": "encontrou,perdeu,pintou,levou,escondeu,vendeu,descreveu,quebrou,escolheu,olhou,consertou,esqueceu,comprou,escutou".split(","),
            "what": "uma carta amarela,o relógio quebrado,dois sapatos velhos,o violão,um jarro de vidro,a chave da garagem,algumas maçãs verdes,o jornal,um guarda-chuva,a fotografia,um pedaço de queijo,uma caixa pesada,o pão de queijo,a montanha de livros,um cordão de algodão,o melão maduro,cinco limões,um pãozinho quente,a lâmpada,três irmãs gêmeas".split(","),
            "where": "no mercado,perto do porto,atrás da igreja,à beira do rio,na biblioteca,debaixo da ponte,em São Paulo,na praia,em frente à prefeitura".split(","),
            "when": "ontem à tarde,hoje de manhã,na segunda passada,depois da chuva,às 6 horas,durante o inverno,sem avisar,há muito tempo,no dia 7 de setembro".split(","),
            "why": "fazia muito frio,ninguém esperava,a estrada estava fechada,custava caro demais,a chuva não parava,as crianças já dormiam,a luz apagou,o trem chegou tarde,eles não quiseram,o chão estava molhado".split(","),
        },
    ),
    "hi": (
        [
            "{who} ने {when} {where} {what} {did}।",
            "क्या {who} ने {what} {did}?",
            "{who} ने {what} {did}, क्योंकि {why}।",
            "{where} {n} लोग थे, और {who} ने {what} {did}।",
            "अरे वाह! {who} ने {n} रुपये में {what} {did}।",
            "{who} ने कहा कि {why}, इसलिए {what} यहीं रखो।",
            "{where} {what} और {what} मिलेंगे।",
            "मुझे {when} {where} जाना है, लेकिन {why}।",
        ],
        {
            "who": "पड़ोसी,शिक्षक,मेरी बहन,एक डॉक्टर,बूढ़े किसान,राजा,उस लड़की,चित्रकार,हमारे दादाजी,एक अजनबी,ड्राइवर,रानी,श्रीमती शर्मा,छोटे भाई,दुकानदार,उनके मित्र,पुलिस वाले,गाँव के मुखिया".split(","),
            "did": "देखा,ढूँढा,बेचा,खरीदा,छिपाया,तोड़ा,चुना,पढ़ा,सुना,बनाया,उठाया,धोया".split(","),
            "what": "पुराना घर,पीला छाता,टूटा हुआ पहिया,एक किताब,ताज़ा फल,अख़बार,भारी डिब्बा,गाना,लंबा पत्र,झंडा,चाँदी का प्याला,ठंडा पानी,घोड़ा,मीठे आम,ऊँची दीवार,सफ़ेद कुर्ता,आधा गिलास दूध,गरम चाय,लाल गुब्बारा,मिट्टी का घड़ा,थोड़ा नमक,नई साड़ी,ढोलक,बर्फ़,खट्टे अंगूर".split(","),
            "where": "बाज़ार में,नदी के पास,मंदिर के पीछे,पुल के नीचे,दिल्ली में,स्कूल के सामने,पहाड़ पर,बगीचे में,रेलवे स्टेशन पर,मेज़ के ऊपर,अस्पताल के बाहर,खेत में,मुंबई में,छत पर".split(","),
            "when": "आज सुबह,कल शाम को,सोमवार को,बारिश के बाद,सर्दियों में,अचानक,छह बजे,बहुत पहले,अगले हफ़्ते,दोपहर को,रात भर,शुक्रवार को,तीन घंटे बाद,हर रोज़".split(","),
            "why": "बहुत ठंड थी,रास्ता बंद था,बच्चे सो रहे थे,बिजली चली गई,किसी को पता नहीं था,बारिश हो रही थी,दुकान अभी बंद है,गाड़ी देर से आई,मुझे भूख लगी है,हवा तेज़ चल रही है,मेहमान आने वाले हैं,सब लोग हँस पड़े".split(","),
        },
    ),
    "ja": (
        [
            "{who}は{when}{where}{what}を{did}。",
            "どうして{who}は{what}を{did}のですか?",
            "{why}ので、{who}が{what}を{did}。",
            "{where}{n}人の人がいて、{who}は{what}を{did}。",
            "すごい!{who}が{n}円で{what}を{did}よ。",
            "{when}{where}{who}に会いましたが、{why}そうです。",
            "{what}と{what}をください。",
            "もし{why}なら、{who}と{what}を探しましょう。",
        ],
        {
            "who": "先生,隣の人,私の姉,若い医者,農家のおじいさん,画家,郵便屋さん,王様,運転手,あの子供,小説家,留学生,田中さん,妹,店員,警察官,ピアニスト,友達,課長,双子の兄弟".split(","),
            "did": "見つけた,買った,売った,隠した,選んだ,読んだ,聞いた,作った,忘れた,直した,持ってきた,撮った".split(","),
            "what": "古い時計,黄色い傘,手紙,新しい靴,重い箱,写真,りんご,新聞,お茶,切符,地図,冷たい水,ギター,百冊の本,牛乳,白い封筒,百円玉,チョコレート,自転車の鍵,薬,絵葉書,お弁当,青い花瓶,味噌汁,ジャケット,柔らかい布団,表".split(","),
            "where": "市場で,港の近くで,図書館で,橋の下で,京都で,学校の前で,山の上で,病院で,庭で,駅で,空港の入口で,海辺で,美術館で,台所で,北海道で,電車の中で".split(","),
            "when": "今朝,昨日の夜,月曜日に,雨の後で,冬の間,急に,六時に,ずっと前に,来週,夕べ,土曜日の午後に,三年前に,毎朝,夏休みに,十一月に,さっき".split(","),
            "why": "とても寒かった,道が閉まっていた,子供が寝ている,電気が消えた,誰も知らなかった,雨が降っている,値段が高すぎた,電話が鳴った,風が強い,列車が遅れた,眼鏡を無くした,病気が治った,約束を破った".split(","),
        },
    ),
    "zh": (
        [
            "{who}{when}在{where}{did}了{what}。",
            "为什么{who}{did}了{what}?",
            "因为{why},所以{who}{did}了{what}。",
            "{where}有{n}个人,{who}{did}了{what}。",
            "真没想到!{who}花了{n}块钱买{what}。",
            "{when}{who}告诉我{why},可是{what}还在{where}。",
            "请把{what}和{what}放在{where}。",
            "{who}想去{where}看{what},不过{why}。",
        ],
        {
            "who": "老师,我的邻居,姐姐,年轻的医生,老农民,画家,邮递员,国王,司机,那个女孩,作家,警察,陌生人,叔叔,学生们,售货员,我妻子,老板,双胞胎弟弟,歌唱家,女儿".split(","),
            "did": "找到,卖掉,藏起,选择,听见,修好,忘记,打破,带来,洗干净,画出,描述".split(","),
            "what": "一封信,黄色的雨伞,旧手表,两双鞋,很重的箱子,照片,新鲜的苹果,报纸,一杯热茶,地图,吉他,冷水,自行车,绿色的玉,红色的裙子,热牛奶,一把钥匙,三只熊猫,饺子,长长的绳子,月饼,一幅山水画,塑料袋,旧轮胎,筷子,蓝色的窗户,雪人".split(","),
            "where": "市场里,港口附近,图书馆,桥下面,北京,学校门口,山上,医院,花园里,河边,火车站,厨房里,上海,草原上,银行旁边,二楼,船上,公园的长椅上".split(","),
            "when": "今天早上,昨天晚上,星期一,下雨以后,冬天,突然,六点钟,很久以前,去年,下个星期,中午,刚才,三年前,春节的时候,每天晚上,凌晨".split(","),
            "why": "天气太冷,路被封了,孩子们已经睡着了,灯灭了,没有人知道,一直在下雨,价钱太贵,风刮得很大,飞机晚点了,他生病了,手机没有电了,商店关门了,雪下得越来越厚,谁也没说话".split(","),
        },
    ),
}


def draw_sentence(language: str, rng: random.Random) -> str:
    patterns, slots = GRAMMARS["en" if language.startswith("en") else language]
    sentence = rng.choice(patterns)
    while "{" in sentence:
        slot = sentence[sentence.index("{") + 1 : sentence.index("}")]
        if slot == "n":
            word = str(rng.choice((rng.randrange(2, 20), rng.randrange(20, 100), rng.randrange(100, 3000))))
        else:
            word = rng.choice(slots[slot.rstrip("_")])
        sentence = sentence.replace("{" + slot + "}", word, 1)
    sentence = sentence[0].upper() + sentence[1:]
    # Some texts have two sentences, so that long utterances are covered.
    return f"{sentence} {draw_sentence(language, rng)}" if rng.random() < 0.2 else sentence


def draw_texts(count: int, seed: int) -> list[tuple[str, str]]:
    """`count` different sentences with their languages; equal seeds give equal texts."""
    rng = random.Random(seed)
    texts: dict[tuple[str, str], None] = {}
    while len(texts) < count:
        language = rng.choices(list(SHARES), list(SHARES.values()))[0]
        texts[language, draw_sentence(language, rng)] = None
    return list(texts)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for language, text in draw_texts(options.count, options.seed):
        print(language, text, sep="\t")
