/** English by falling frequency, as people and models write it about programs. */
export const COMMON_WORDS = words(`
the to a of and is in it that for I this on with be as not are you we can if from have an will by or but at let
me now so all which there file use when need one should has was code do what its then test only they out need up
also more error line new first into run function add same see like check been would any just other some get here
how these make value two after set read where change does them time because could work tests using already each
your way no before want still being between instead than default call return type however right path look case
name both without very might directly actually since even over every found possible another good issue different
correct once must wrong problem back while looks output most current current's next fix part small show about fails
single exactly command simple works sure rather handle write large might've second through means made such result
too really across last under whether several against always never either their given least enough second's
`);

/** Words that program texts and identifiers are made of. */
export const CODE_WORDS = words(`
session entry index cache query parse token buffer stream file path line offset cursor change branch tree leaf root
node parent child label message model usage cost daily report search filter match score rank snippet text word value
key map list array string number object type class method field schema table column row view trigger migration open
close read write append sync watch daemon lease lock timer clock retry queue worker thread process signal error fault
result option config flag default home project folder header body tail head start end size count total sum mean limit
page render format print color width height theme layout panel button input output form click event handler listener
request response server client socket port host route proxy auth user secret hash sign verify encode decode compress
build bundle compile target module import export package version release deploy docker image volume network cluster
test suite fixture mock assert expect bench profile trace metric log debug warn info graph edge vertex matrix vector
tensor layer train batch epoch loss weight prompt context window compaction summary tool call agent provider stream
`);

export const FOLDERS = words(`
src lib app test tests docs scripts packages core server client db cli api utils components hooks pages internal cmd pkg
format file query daemon
`);

/** Frequent Chinese characters; Japanese uses them, too. */
export const HAN =
  "的一是不了人我在有他这中大来上个国到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可里后小么心多天而能好都然没日于起还发成事只作当想看文无开手用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话者向情部正名定问力机给等几很业最间新什打便位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市目错误文件搜索会话索引数据测试代码函数类型";

/** Hiragana and katakana. */
export const KANA =
  "あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわをんアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン";

/** @param {string} text */
function words(text) {
  return [...new Set(text.trim().split(/\s+/))];
}
