# Makes a page for man(1) from its text: MATINEE=PROGRAM awk -f page.awk matinee.1.md >matinee.1
#
# The text is Markdown: `code` is bold, _placeholders_ are italic, and each text below a term begins with a colon. At
# <!-- PART --> is what `matinee print PART` prints, which the program makes from its commands, keys and options.

BEGIN { failed = ("\"$MATINEE\" --version" | getline version) < 1 }
{ read($0) }
END {
  end_paragraph()
  exit failed
}

function read(line) {
  gsub(/@VERSION@/, version, line)
  if (line == "```") {
    end_paragraph()
    print is_code ? ".fi\n.RE" : ".PP\n.RS 4\n.nf"
    is_code = !is_code
  } else if (is_code) print guarded(plain(line, 1))
  else if (line ~ /^<!-- [a-z-]+ -->$/) include(substr(line, 6, length(line) - 9))
  else if (line ~ /^# /) title(substr(line, 3))
  else if (line ~ /^## /) heading(".SH " plain(toupper(substr(line, 4))))
  else if (line ~ /^### /) heading(".SS " plain(substr(line, 5)))
  else if (line == "" || line ~ /^\|[ |-]*$/) end_paragraph()
  else if (line ~ /^\| /) row(substr(line, 3, length(line) - 4))
  else if (line ~ /^: /) {
    term = paragraph
    paragraph = substr(line, 3)
  } else {
    sub(/^ +/, "", line)
    paragraph = paragraph (paragraph == "" ? "" : " ") line
  }
}

function end_paragraph() {
  if (term != "") print ".TP\n" fonts(term) "\n" fonts(paragraph)
  else if (paragraph != "") print ".PP\n" fonts(paragraph)
  term = paragraph = ""
}

function heading(line) {
  end_paragraph()
  print line
}

# A page's name, its section and a few words about it: "matinee(1) - watch films".
function title(line,    name, section, words) {
  name = section = words = line
  sub(/\(.*/, "", name)
  gsub(/^[^(]*\(|\).*/, "", section)
  sub(/^[^)]*\) - /, "", words)
  print ".TH \"" toupper(name) "\" " section " \"\" \"Matinee " version "\" \"Matinee\""
  print ".SH NAME\n" plain(name) " \\- " fonts(words)
}

# A row of a table: a short term and a short text beside it.
function row(line,    middle) {
  end_paragraph()
  middle = index(line, " | ")
  print ".TP 24\n" fonts(substr(line, 1, middle - 1)) "\n" fonts(substr(line, middle + 3))
}

function include(part,    command, line, lines) {
  command = "\"$MATINEE\" print " part
  while ((command | getline line) > 0) {
    read(line)
    lines++
  }
  close(command)
  if (!lines) failed = 1
}

# The text with its marked words in other fonts.
function fonts(text,    count, place, parts, result) {
  count = split(text, parts, "`")
  for (place = 1; place <= count; place++)
    result = result (place % 2 ? italics(parts[place]) : "\\fB" plain(parts[place], 1) "\\fR")
  return guarded(result)
}

function italics(text,    count, place, parts, result) {
  count = split(text, parts, "_")
  for (place = 1; place <= count; place++)
    result = result (place % 2 ? plain(parts[place]) : "\\fI" plain(parts[place]) "\\fR")
  return result
}

# The text with the characters escaped that roff reads otherwise. A dash that may be copied into a terminal is code.
function plain(text, is_copied,    position, character, result) {
  for (position = 1; position <= length(text); position++) {
    character = substr(text, position, 1)
    if (character == "\\") character = "\\e"
    else if (character == "~") character = "\\(ti"
    else if (character == "^") character = "\\(ha"
    else if (character == "'") character = "\\(aq"
    else if (character == "-" && is_copied) character = "\\-"
    else if (character == "\"" && !is_copied) character = "\\(dq"
    result = result character
  }
  return result
}

# The line, protected if roff would read its first character as a command.
function guarded(line) { return (line ~ /^\./ ? "\\&" : "") line }
