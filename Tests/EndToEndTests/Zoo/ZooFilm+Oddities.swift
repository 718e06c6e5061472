extension ZooFilm {
  /// Pictures and sounds of other rhythms and forms.
  static let forms = [
    rate("23.976 pictures a second", "ntsc24.mkv", "24000/1001"),
    rate("29.97 pictures a second", "ntsc30.mp4", "30000/1001"),
    rate("50 pictures a second", "50.mkv", "50"),
    rate("60 pictures a second", "60.mp4", "60"),
    coded(
      "varying picture rate", "varying.mp4",
      "-vf \"select='lt(mod(n,50),25)+not(mod(n,4))'\" -fps_mode vfr $h264 -c:a aac", frame: 0.16),
    coded(
      "interlaced", "interlaced.mpg",
      "-vf interlace -c:v mpeg2video -flags +ildct+ilme -c:a mp2", frame: 0.08),
    coded("one key picture", "far.mkv", "$h264 -g 9999 -keyint_min 9999 -c:a aac"),
    ZooFilm(
      name: "no sound", file: "silent.mp4", script: "f $picture $h264 \"$1\""),
    ZooFilm(
      name: "odd size", file: "odd.mkv",
      script: """
        f -f lavfi -i testsrc2=s=161x91:r=25:d=24 $sound -c:v libx264 -preset ultrafast \
        -pix_fmt yuv444p -c:a aac "$1"
        """),
    ZooFilm(
      name: "rotated", file: "rotated.mp4",
      script: """
        f $picture $sound $h264 -c:a aac a.mp4
        f -i a.mp4 -c copy -metadata:s:v rotate=90 "$1"
        """),
    ZooFilm(
      name: "a name with spaces, quotes and other scripts",
      file: "Ana's \"film\" – кино 映画 #1 %20.mkv",
      script: "f $picture $sound $h264 -c:a aac \"$1\""),
    ZooFilm(
      name: "chapters", file: "chapters.mkv",
      script: """
        printf ';FFMETADATA1\\n' >chapters
        for start in 0 8000 16000; do
          printf '[CHAPTER]\\nTIMEBASE=1/1000\\nSTART=%d\\nEND=%d\\n' $start $((start + 8000)) >>chapters
        done
        f $picture $sound -i chapters -map_metadata 2 $h264 -c:a aac "$1"
        """),
    ZooFilm(
      name: "several sound tracks", file: "tracks.mkv",
      script: """
        f $picture $sound $sweep -map 0 -map 1 -map 2 $h264 -c:a aac -metadata:s:a:0 language=eng \
        -metadata:s:a:1 language=deu "$1"
        """),
    ZooFilm(
      name: "one second", file: "second.mp4",
      script: "f $picture $sound $h264 -c:a aac -t 1 \"$1\"",
      length: 1),
    ZooFilm(
      name: "edit list", file: "edited.mp4",
      script: """
        f $picture $sound $h264 -c:a aac a.mp4
        f -ss 1.5 -i a.mp4 -c copy "$1"
        """, length: 22.5),
    startingLate,
  ]

  static let startingLate = coded(
    "first time stamp 60 s", "late.mkv", "$h264 -c:a aac -output_ts_offset 60")

  private static func rate(_ name: String, _ file: String, _ rate: String) -> ZooFilm {
    ZooFilm(
      name: name, file: file,
      script: """
        f -f lavfi -i testsrc2=s=160x90:r=\(rate):d=24 $sound $h264 -c:a aac "$1"
        """)
  }

  /// Files whose header doesn't say how long they are, or says something else than what comes.
  static let lengths = [
    ZooFilm(
      name: "mkv from a pipe", file: "piped.mkv",
      script: "f $picture $sound $h264 -c:a aac -f matroska - | cat >\"$1\""),
    ZooFilm(
      name: "webm of a browser's recorder", file: "live.webm",
      script: """
        f $picture $sound -c:v libvpx -deadline realtime -cpu-used 8 -g 50 -c:a libopus -f webm \
        -live 1 - | cat >"$1"
        """),
    ZooFilm(
      name: "raw H.264", file: "raw.h264", script: "f $picture $h264 \"$1\"", mayRefuseSeeks: true),
    ZooFilm(
      name: "raw HEVC", file: "raw.hevc",
      script: "f $picture -c:v libx265 -preset ultrafast -x265-params log-level=error \"$1\"",
      mayRefuseSeeks: true),
    ZooFilm(
      name: "raw MPEG-2", file: "raw.m2v", script: "f $picture -c:v mpeg2video \"$1\"",
      mayRefuseSeeks: true),
    ZooFilm(
      name: "APNG", file: "film.apng",
      script: "f -f lavfi -i testsrc2=s=80x45:r=10:d=24 -plays 1 -f apng \"$1\"", frame: 0.1,
      mayRefuseSeeks: true),
    ZooFilm(
      name: "subtitles longer than the film", file: "subtitles.mkv", script: longSubtitles),
    ZooFilm(
      name: "slide show", file: "slides.mp4",
      script: "f -f lavfi -i testsrc2=s=160x90:r=1/5:d=25 $sound $h264 -c:a aac \"$1\"",
      frame: 0.1),
    ZooFilm(
      name: "one picture with sound", file: "still.mp4",
      script: "f -f lavfi -i testsrc2=s=160x90:r=25:d=0.04 $sound $h264 -c:a aac \"$1\"",
      frame: 0.1),
    ZooFilm(
      name: "picture ends before the sound", file: "ears.mp4",
      script: "f -f lavfi -i testsrc2=s=160x90:r=25:d=10 $sound $h264 -c:a aac \"$1\"", frame: 0.1),
    ZooFilm(
      name: "sound ends before the picture", file: "eyes.mp4",
      script: "f $picture -f lavfi -i anoisesrc=d=10:c=pink:a=0.2:r=48000 $h264 -c:a aac \"$1\""),
    ZooFilm(
      name: "ts with a gap", file: "gap.ts",
      script: """
        f $picture $sound $h264 -c:a aac -t 12 a.ts
        f $picture $sound $h264 -c:a aac -t 12 -output_ts_offset 32 b.ts
        cat a.ts b.ts >"$1"
        """, length: 44, jump: Jump(from: 12, to: 32)),
    ZooFilm(
      name: "ts whose time stamps jump", file: "jump.ts",
      script: """
        f $picture $sound $h264 -c:a aac -t 12 a.ts
        f $picture $sound $h264 -c:a aac -t 12 -output_ts_offset 60 b.ts
        cat a.ts b.ts >"$1"
        """, length: 72, jump: Jump(from: 12, to: 60)),
    ZooFilm(
      name: "mkv with a gap", file: "gap.mkv",
      script: """
        f $picture $sound $h264 -c:a aac -t 12 a.mkv
        f $picture $sound $h264 -c:a aac -t 12 -output_ts_offset 32 b.mkv
        printf "ffconcat version 1.0\\nfile a.mkv\\nduration 32\\nfile b.mkv\\n" >list
        f -f concat -i list -c copy "$1"
        """, length: 44, jump: Jump(from: 12, to: 32)),
    ZooFilm(
      name: "cut off mp4", file: "cut.mp4", script: cutOff, length: 12, isCutOff: true),
    ZooFilm(
      name: "cut off mkv", file: "cut.mkv",
      script: """
        f $picture $sound $h264 -c:a aac a.mkv
        head -c $(($(stat -c %s a.mkv) / 2)) a.mkv >"$1"
        """, length: 12, isCutOff: true),
  ]

  static let breakingOff = coded(
    "a copy that breaks off", "copied.mp4", "$h264 -c:a aac -movflags +faststart")

  private static let longSubtitles = """
    printf '1\\n00:00:01,000 --> 00:00:03,000\\nHello.\\n\\n2\\n00:10:00,000 --> 00:10:01,000\\nEnd.\\n' >a.srt
    f $picture $sound -i a.srt $h264 -c:a aac -c:s srt "$1"
    """

  /// The index is in front and promises 24 s.
  private static let cutOff = """
    f $picture $sound $h264 -c:a aac -movflags +faststart a.mp4
    head -c $(($(stat -c %s a.mp4) / 2)) a.mp4 >"$1"
    """

  /// Films on a web server.
  static let served = [
    coded("mp4 on a server", "front.mp4", "$h264 -c:a aac -movflags +faststart").on(.server),
    coded("mp4 on a server without ranges", "front.mp4", "$h264 -c:a aac -movflags +faststart")
      .on(.serverWithoutRanges),
    coded("mkv on a server", "film.mkv", "$h264 -c:a aac").on(.server),
    heard("mp3 on a server", "song.mp3", "-c:a libmp3lame").on(.server),
    ZooFilm(
      name: "mkv from a pipe on a server", file: "piped.mkv",
      script: "f $picture $sound $h264 -c:a aac -f matroska - | cat >\"$1\"", source: .server),
    ZooFilm(
      name: "subtitles longer than the film, on a server", file: "subtitles.mkv",
      script: longSubtitles, source: .server),
    ZooFilm(
      name: "cut off mp4 on a server", file: "cut.mp4", script: cutOff, length: 12,
      source: .server, isCutOff: true),
    coded(
      "HLS", "film.m3u8", "$h264 -c:a aac -hls_time 4 -hls_playlist_type vod"
    ).on(.server),
    coded(
      "HLS of fragments", "film.m3u8",
      "$h264 -c:a aac -hls_time 4 -hls_playlist_type vod -hls_segment_type fmp4"
    ).on(.server),
    ZooFilm(
      name: "HLS in parts", file: "parts.m3u8",
      script: """
        f $picture $sound $h264 -c:a aac -t 16 a.ts
        f $picture $sound $h264 -c:a aac -ss 16 -t 8 b.ts
        f $picture $sound $h264 -c:a aac -ss 8 -t 8 c.ts
        printf '%s\\n' '#EXTM3U' '#EXT-X-VERSION:3' '#EXT-X-TARGETDURATION:17' \
          '#EXT-X-PLAYLIST-TYPE:VOD' '#EXTINF:16.0,' a.ts '#EXT-X-DISCONTINUITY' '#EXTINF:8.0,' b.ts \
          '#EXT-X-DISCONTINUITY' '#EXTINF:8.0,' c.ts '#EXT-X-ENDLIST' >"$1"
        """, length: 16, source: .server, jump: Jump(from: 16, to: 0)),
    ZooFilm(
      name: "HLS with advertisements inserted", file: "ads.m3u8",
      script: """
        f $picture $sound $h264 -c:a aac -t 16 a.ts
        f $picture $sound $h264 -c:a aac -t 6 ads.ts
        f $picture $sound $h264 -c:a aac -ss 16 -t 8 -output_ts_offset 16 b.ts
        printf '%s\\n' '#EXTM3U' '#EXT-X-VERSION:3' '#EXT-X-TARGETDURATION:17' \
          '#EXT-X-PLAYLIST-TYPE:VOD' '#EXTINF:16.0,' a.ts '#EXT-X-DISCONTINUITY' '#EXTINF:6.0,' ads.ts \
          '#EXT-X-DISCONTINUITY' '#EXTINF:8.0,' b.ts '#EXT-X-ENDLIST' >"$1"
        """, length: 16, source: .server, jump: Jump(from: 16, to: 0),
      // The list has this position, which is behind the last time stamp, 24 s.
      lastPosition: 28),
  ]

  private func on(_ source: Source) -> ZooFilm {
    var film = self
    film.source = source
    return film
  }
}
