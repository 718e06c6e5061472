#include "CPage.h"

// Clang has the directive of C23 in all versions of C.
#pragma clang diagnostic ignored "-Wc23-extensions"


static const unsigned char page_html[] = {
#embed "../../Doors/Page/page.html"
};
static const unsigned char style_css[] = {
#embed "../../Doors/Page/style.css"
};
static const unsigned char checks_js[] = {
#embed "../../Doors/Page/checks.js"
};
static const unsigned char hash_js[] = {
#embed "../../Doors/Page/hash.js"
};
static const unsigned char seal_js[] = {
#embed "../../Doors/Page/seal.js"
};
static const unsigned char signature_js[] = {
#embed "../../Doors/Page/signature.js"
};
static const unsigned char connection_js[] = {
#embed "../../Doors/Page/connection.js"
};
static const unsigned char channel_js[] = {
#embed "../../Doors/Page/channel.js"
};
static const unsigned char clock_js[] = {
#embed "../../Doors/Page/clock.js"
};
static const unsigned char servo_js[] = {
#embed "../../Doors/Page/servo.js"
};
static const unsigned char film_js[] = {
#embed "../../Doors/Page/film.js"
};
static const unsigned char player_js[] = {
#embed "../../Doors/Page/player.js"
};
static const unsigned char keys_js[] = {
#embed "../../Doors/Page/keys.js"
};
static const unsigned char view_js[] = {
#embed "../../Doors/Page/view.js"
};
static const unsigned char main_js[] = {
#embed "../../Doors/Page/main.js"
};

const struct cpage_file cpage_template = {page_html, sizeof page_html};
const struct cpage_file cpage_style = {style_css, sizeof style_css};
static const struct cpage_file modules[] = {
  {checks_js, sizeof checks_js},
  {hash_js, sizeof hash_js},
  {seal_js, sizeof seal_js},
  {signature_js, sizeof signature_js},
  {connection_js, sizeof connection_js},
  {channel_js, sizeof channel_js},
  {clock_js, sizeof clock_js},
  {servo_js, sizeof servo_js},
  {film_js, sizeof film_js},
  {player_js, sizeof player_js},
  {keys_js, sizeof keys_js},
  {view_js, sizeof view_js},
  {main_js, sizeof main_js},
};
const size_t cpage_module_count = sizeof modules / sizeof *modules;

struct cpage_file cpage_module(size_t index) { return modules[index]; }
