extension Manual {
  /// matinee-party(7): watching together.
  var party: ManualPage {
    ManualPage(
      name: "matinee-party", number: 7, abstract: "watching together with Matinee",
      version: version,
      sections: [
        .init(
          title: "Description",
          blocks: [
            .paragraph(
              "A party is a group of participants who watch the same film at the same position. Play, pause, seek and speed act on everyone. Names are unique in a party: a second Ana becomes Ana 2. All messages are encrypted from end to end with keys that are derived from the invite."
            )
          ]),
        hosting, films, liveStreams, playlists, angles, roles, waiting, interruptions,
        synchronization,
        syncLog, latency, returning, localNetwork, internet, relays,
        .init(
          title: "See also",
          blocks: [
            .paragraph(
              "`matinee`(1), `matinee-relay`(1), `matinee`(5), `matinee-headless`(7), `yt-dlp`(1)")
          ]),
      ])
  }

  private var hosting: ManualPage.Section {
    .init(
      title: "Hosting and joining",
      blocks: [
        .code([
          "matinee host film.mkv                 # opens a party, paused at the start",
          "matinee join film.mkv                 # asks for the invite; joins with your own copy of the file",
          "matinee join                          # the same; a film from a URL opens by itself",
        ]),
        .paragraph(
          "The host's screen shows the invite; `I` shows it again. Anyone with the invite can join. Paste it when `join` asks for it: the secret isn't shown, and remains in no shell's history. Press enter instead to list the parties on the local network. An invite may also be an argument, in quotation marks, since it contains a `#`: the program hides its arguments from the process list within moments, but the shell's history keeps it, and an invite that was clicked on the desktop is visible to other local users in the arguments of the terminal that it opens. Scripts use `matinee join -`, which reads standard input, or `--invite-file`: `host` writes the invite to a file that only you can read (mode 0600), and `join` reads it from there."
        ),
        .paragraph(
          "`P` opens a party from inside the program, `L` leaves it, and `E` ends it for everyone."),
      ])
  }

  private var films: ManualPage.Section {
    .init(
      title: "Files, URLs and web pages",
      blocks: [
        .paragraph(
          "When the party watches a file, each participant opens a copy of their own. Copies are recognized by their content, whatever their names. If a copy with this content is in one of your media folders, it opens by itself."
        ),
        .paragraph(
          "When the party watches a URL (`http` or `https`), guests need nothing. The film that plays when you join opens by itself. A later film from another server opens after you agreed, for this run or permanently. If a server redirects to another one, or names one in a playlist or page, you are asked about that one too, before any request is sent to it."
        ),
        .paragraph(
          "`https` servers must have a valid certificate. For a server without one that you trust anyway, use `--mpv tls-verify=no` or `--mpv tls-ca-file=`_FILE_."
        ),
        .paragraph(
          "A URL can also be a page of a web site that `yt-dlp`(1) supports, if that is installed. The party shares the page, and each participant's own `yt-dlp` finds the film in it."
        ),
        .paragraph(
          "Server errors come with a suggested fix. A slow or dead stream never holds up the others."
        ),
      ])
  }

  private var liveStreams: ManualPage.Section {
    .init(
      title: "Live streams",
      blocks: [
        .paragraph(
          "A live stream (HLS) plays in sync too, by its dates (`EXT-X-PROGRAM-DATE-TIME`) or else by its time stamps. A late joiner starts at the position of the others, as far back as the server still has it. Pausing and seeking work within the part that has been fetched."
        )
      ])
  }

  private var playlists: ManualPage.Section {
    .init(
      title: "Several films",
      blocks: [
        .paragraph(
          "`matinee host one.mkv two.mkv` makes a playlist, which everyone shares. When a film is over, the next one begins. `>` and `<` go to the next and the previous film, `e` in the library adds a film, `l` shows the list: Enter watches, `J` and `K` move, `x` removes."
        ),
        .row("`/enqueue` _URL_", "add a film"),
        .row("`/move 3 1`", "move the third film to the first position"),
        .row("`/drop 2`", "remove the second film"),
      ])
  }

  private var angles: ManualPage.Section {
    .init(
      title: "Several angles",
      blocks: [
        .paragraph(
          "`matinee host stage.mkv --angles left.mkv right.mkv` shows up to four films as one picture, in the window or in the terminal. To the group they are the first film. `#` switches to the audio of the next one. Each participant names their own angles, or none."
        )
      ])
  }

  private var roles: ManualPage.Section {
    .init(
      title: "Who may control playback",
      blocks: [
        .paragraph(
          "At first everyone may. `matinee host --control hosts`, or `/control hosts` in the chat, reserves play, pause, seek, speed and the choice of the film for the host and the co-hosts; guests can still step away. The host types these commands into the chat:"
        ),
        .row("`/control everyone`, `/control hosts`", "who may control playback"),
        .row("`/co-host` _NAME_, `/guest` _NAME_", "change a participant's role"),
        .row("`/hand-over` _NAME_", "make another participant the host"),
        .row("`/remove` _NAME_", "remove a participant"),
        .row("`/close`, `/open`", "refuse newcomers; admit everyone with the invite"),
        .row(
          "`/lifetime host`, `/lifetime automatic`",
          "end the party when its host leaves; keep it as long as anyone is in it"),
        .row(
          "`/wait-for nobody`, `/wait-for everyone`",
          "whether a start waits for trailers and for participants who aren't ready"),
        .paragraph(
          "Every change is signed, so a role can't be forged. A removed participant can't read anything that follows, but still has the invite: close the party as well if that person must not come back under another name."
        ),
      ])
  }

  private var waiting: ManualPage.Section {
    .init(
      title: "Waiting for each other",
      blocks: [
        .paragraph(
          "`/ready-check` in the chat asks everyone else whether they are ready. The start waits for each of them until they press `R`. `R` also marks you as not ready, without a check."
        ),
        .paragraph(
          "A start waits for participants who watch a trailer (`--preroll`) or aren't ready, for one minute at most. With `matinee host --wait-for nobody`, or `/wait-for nobody` in the host's chat, it doesn't wait for them: the film begins, and they join it at its position. Nor does a start in a party of more than 16 that watch the film. A start always waits for players that only have to load or buffer, for ten seconds at most. `p` starts at once."
        ),
      ])
  }

  private var interruptions: ManualPage.Section {
    .init(
      title: "Stalls and missing devices",
      blocks: [
        .paragraph(
          "A participant whose network stalls leaves the group's playback until data arrives again, and then rejoins at the group's position. The others play on. A film whose server disappeared is opened again when the server is back."
        ),
        .paragraph(
          "Without an audio device the film plays silently and stays in sync. When a device is connected, the audio returns."
        ),
      ])
  }
}
