extension Manual {
  var synchronization: ManualPage.Section {
    .init(
      title: "Synchronization",
      blocks: [
        .paragraph(
          "The roster shows how well each player stays in sync with the group. `Y` shows the last minutes as curves: the error (`+` for ahead of the group, `-` for behind it) within its uncertainty, the speed correction that removes it, the round trip to the participant whose clock the party uses, and the uncertainty of that clock on this machine, which is smaller if time services that state their errors (chrony, ntpd) keep the wall clocks. The error is by mpv's own position: a delay of your speakers or your screen that nothing reports isn't in it; see “Late speakers and televisions”."
        )
      ])
  }

  var syncLog: ManualPage.Section {
    .init(
      title: "The sync log",
      blocks: [
        .paragraph(
          "`--sync-log` _FILE_ writes the same values as comma-separated values, one line per measurement, after a line with the names of the columns. An unknown value is empty. Only you can read the file (mode 0600). It grows by about 100 bytes a line, contains no names, titles or addresses, and continues if it exists already."
        ),
        .row("`time`", "date and time (ISO 8601, UTC)"),
        .row("`host_s`", "this machine's monotonic clock, in seconds"),
        .row("`group_s`", "the party's clock, in seconds"),
        .row("`item_s`", "the position in the film, in seconds"),
        .row("`error_ms`", "how far this player is ahead of the group, in milliseconds"),
        .row("`uncertainty_ms`", "the uncertainty of that error"),
        .row("`nudge`", "the speed correction: a factor, 1 for none"),
        .row("`round_trip_ms`", "the round trip to the reference clock"),
        .row("`clock_uncertainty_ms`", "the uncertainty of the party's clock on this machine"),
        .row(
          "`event`",
          "`play`, `pause`, `seek`, `rate`, `ended`, `stalled`, `reapplied`, `latency-offset`"),
      ])
  }

  var latency: ManualPage.Section {
    .init(
      title: "Late speakers and televisions",
      blocks: [
        .paragraph(
          "Televisions and Bluetooth speakers may delay their output by tenths of a second, and mpv can't always know. Set that delay, and your player runs ahead of the group by the same time: `--latency-offset 180`, `/latency-offset 180` in the chat, or ctrl `+` and ctrl `-` in steps of 10 ms (alt `+` and alt `-` in terminals that keep those keys for themselves). The value is saved for each audio device in `$XDG_STATE_HOME/matinee`, else `~/.local/state/matinee`. If mpv chooses among several devices, they share one value; to have one for each, choose the device yourself with `--mpv audio-device=`_NAME_ (`mpv --audio-device=help` lists them)."
        ),
        .paragraph(
          "`matinee calibrate` finds the value of your speaker with a microphone, and saves it: put the microphone where you sit, and be quiet for twelve seconds. Three sweeps are played as a film is, and recorded; the first arrival of each counts, not its echo. The result is the part of the delay that mpv doesn't know about, so calibrating again replaces the saved value by the same one. If the room is too noisy, if the tones differ by more than 2 ms, or if anything else is unclear, it says so and changes nothing. The recording stays in memory: it is neither saved nor sent. `--mpv audio-device=`_NAME_ chooses the speaker, as for a film, `--microphone` _NAME_ the microphone (`pactl list short sources` lists them), and `--dry-run` saves nothing."
        ),
        .paragraph(
          "The delay of the microphone itself is subtracted as far as the sound server reports it. What it doesn't report makes the result too large: a few milliseconds with a wired microphone, tenths of a second with a wireless one. Don't use the microphone of a Bluetooth headset: it changes the headset's mode, and with that its delay. Switch off echo cancellation and noise suppression, which remove the sweeps. Each metre to the speaker counts as 2.9 ms, as it does for your ears. Some receivers change their delay at each start; then calibrate again, or set the value by ear."
        ),
        .paragraph(
          "To find the value by ear, let a laptop with speakers of its own join the party, and play `Media/Countdown.mkv` from Matinee's sources on both: there is a short tone on each second. If you hear two tones and yours is the later one, press ctrl `+` until they are one. With headphones keep one ear free. To compare video without audio, film both screens with a phone, in slow motion if possible, and adjust until the numbers change in the same frame."
        ),
        .paragraph(
          "If your audio is late compared with your own video, fix that first, for example with `--mpv audio-delay=-0.18`, and then check whether both are still late."
        ),
      ])
  }

  var returning: ManualPage.Section {
    .init(
      title: "Returning to a party",
      blocks: [
        .paragraph(
          "`A` rejoins your last party. The library lists the others; `x` forgets one. A host who returns to a party that everybody has left finds its film, position and playlist. You return as the same participant, and you are notified about people whom you have met in this party before. If someone joins under a known name with a different key, you get a warning: it may be another person, or the same person on another machine. Keys are made for one party each, so they don't identify you across parties."
        ),
        .paragraph(
          "A host returns to its own party as its host, even after a crash. The relay listens on the same port again, and participants who stayed reconnect within seconds."
        ),
      ])
  }

  var localNetwork: ManualPage.Section {
    .init(
      title: "On the local network",
      blocks: [
        .paragraph(
          "The host's program contains a relay and announces it by mDNS if an Avahi daemon runs. `matinee join` with an empty line instead of an invite lists the parties found, by the name at the top of the host's screen, and asks for the part of the invite after the `#`: being on the network admits nobody. The announcement contains the party's id, which is a hash made for this party alone, and the port, but no name, title or secret. `--no-announce` turns it off."
        )
      ])
  }

  var internet: ManualPage.Section {
    .init(
      title: "Across the internet",
      blocks: [
        .paragraph(
          "The relay listens on TCP port 62846, on IPv6 and IPv4. If that port is taken, it uses one of the nine after it, unless `--listen` names one. Guests must be able to reach the port, so the host asks the router to open it, by NAT-PMP and UPnP. If the router agrees, its address is added to the invite a few seconds after the party has opened; the screen and `--invite-file` are updated. The router opens the port for ten minutes at a time and closes it when you quit; nothing stays open after a crash. `--no-port-mapping` leaves the router alone."
        ),
        .paragraph(
          "The invite contains every address that may work, best first: the router's, IPv6, the local network's (no container networks, and only a handful). A guest tries them all at once and uses the first that leads to the party; if none does, each error is shown. `I` shows which addresses can be reached, and what to do about the others:"
        ),
        .item(
          "The router doesn't open ports, or refuses",
          "Forward the TCP port to your machine in the router's settings."),
        .item(
          "The router is behind another router",
          "Forward the port in both. If the outer one belongs to the provider (the router's address begins with 100.64 to 100.127), forwarding doesn't help: use a relay."
        ),
        .item(
          "IPv6",
          "Most routers block incoming connections. Allow the TCP port in the router's firewall."),
        .paragraph(
          "A party doesn't depend on its host's program. A guest's program offers a relay too, at this machine's addresses in its networks; its router isn't asked. The programs of the others connect to it once, to find out who reaches it, and the invite names it. When the host quits, crashes or loses its network, all continue at the same next relay. A host that quits makes the owner of that relay the host; only if no relay can take over does the party close, and then the host is asked first: it can also quit and let its machine relay for the others until they have left (`keep-relay`). A guest with the last relay of the party is asked the same. When the host returns with `rejoin`, all move to its relay again. `--no-standby` offers no relay, and tells the others no address."
        ),
      ])
  }

  var relays: ManualPage.Section {
    .init(
      title: "Meeting at a relay",
      blocks: [
        .paragraph("If guests can't reach the host, everyone can meet on a third machine:"),
        .code([
          "matinee relay --listen 0.0.0.0:62846     # on a machine that all can reach",
          "matinee host --relay nats://that-machine:62846 film.mkv",
        ]),
        .paragraph(
          "`--relay` takes any NATS server: `nats://`[_USER_`:`_PASSWORD_`@`]_HOST_`:`_PORT_, several with commas. Passwords don't go into the invite; each guest gives their own `--relay`. The relay sees encrypted bytes under opaque subjects. If it dies, playback continues for everyone, and when it returns, everyone agrees again. See `matinee-relay`(1)."
        ),
        .paragraph(
          "With several NATS servers that form a cluster, a party survives the loss of any of them:"
        ),
        .code([
          "matinee host --relay nats://a.example.org,nats://b.example.org film.mkv",
          "matinee host --relay tls://party.example.org --relay-credentials club.creds film.mkv",
        ]),
        .paragraph(
          "One name is enough; it leads to the others. A dead server is left at once, a silent one within four seconds, and one that is about to be restarted before it stops. The video stays in sync, and no message is lost or arrives twice. `tls://` demands TLS, and `--relay-ca` _FILE_ demands TLS with a certificate authority of your own. Guests who join with the invite change to TLS by themselves when the servers ask for it. `--relay-credentials` _FILE_ (a `.creds` file or an NKEY seed) is for servers that require a login, for guests too: credentials never go into the invite."
        ),
        .paragraph(
          "Configuration files for a cluster are installed in `share/doc/matinee/cluster`."),
      ])
  }
}
