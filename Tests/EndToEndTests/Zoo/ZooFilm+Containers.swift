extension ZooFilm {
  /// The containers that people have, with the coders that are usual in them.
  static let containers = [
    coded("mp4, index in front", "front.mp4", "$h264 -c:a aac -movflags +faststart"),
    coded("mp4, index at the end", "back.mp4", "$h264 -c:a aac"),
    coded("mp4 in fragments", "parts.mp4", "$h264 -c:a aac -movflags +frag_keyframe+empty_moov"),
    coded("mov", "film.mov", "$h264 -c:a aac"),
    coded("3gp", "film.3gp", "$h264 -c:a aac"),
    coded("mkv", "film.mkv", "$h264 -c:a aac"),
    coded("webm, VP9 and Opus", "film.webm", "-c:v libvpx-vp9 -cpu-used 8 -c:a libopus"),
    coded("avi, MPEG-4 and MP3", "film.avi", "-c:v mpeg4 -c:a libmp3lame"),
    coded("flv", "film.flv", "$h264 -c:a aac"),
    coded("asf", "film.wmv", "-c:v wmv2 -c:a wmav2"),
    coded("ogg, Theora and Vorbis", "film.ogv", "-c:v libtheora -c:a libvorbis"),
    coded("ts", "film.ts", "$h264 -c:a aac"),
    coded("m2ts", "film.m2ts", "$h264 -c:a ac3"),
    coded("mpg", "film.mpg", "-c:v mpeg2video -c:a mp2"),
    coded("mxf", "film.mxf", "-c:v mpeg2video -c:a pcm_s16le"),
    coded("nut", "film.nut", "$h264 -c:a libvorbis"),
  ]

  /// Coders of pictures and sound.
  static let coders = [
    coded(
      "HEVC", "hevc.mkv", "-c:v libx265 -preset ultrafast -x265-params log-level=error -c:a aac"),
    coded("MPEG-2", "mpeg2.mkv", "-c:v mpeg2video -c:a ac3"),
    coded(
      "VP8 and Vorbis", "vp8.webm", "-c:v libvpx -deadline realtime -cpu-used 8 -c:a libvorbis"),
    coded("AV1", "av1.webm", "-c:v libaom-av1 -cpu-used 8 -usage realtime -c:a libopus"),
    coded("ProRes", "prores.mov", "-c:v prores -c:a pcm_s16le"),
    coded("MJPEG", "mjpeg.avi", "-c:v mjpeg -c:a pcm_s16le"),
    coded("FFV1", "ffv1.mkv", "-c:v ffv1 -c:a flac"),
    ZooFilm(
      name: "GIF", file: "film.gif",
      script: "f -f lavfi -i testsrc2=s=160x90:r=10:d=24 \"$1\"", frame: 0.1),
    coded("B-frames", "b.mp4", "-c:v libx264 -preset veryfast -bf 3 -pix_fmt yuv420p -c:a aac"),
    coded(
      "B-frames, open groups", "open.mkv",
      "-c:v libx264 -preset veryfast -bf 3 -x264opts open-gop=1:keyint=60 -pix_fmt yuv420p -c:a aac"
    ),
    channels("mono AAC", "mono.mp4", "mono", "-c:a aac"),
    channels("AC-3 5.1", "ac3.mkv", "5.1", "-c:a ac3"),
    channels("E-AC-3 5.1", "eac3.mkv", "5.1", "-c:a eac3"),
    channels("DTS 5.1", "dts.mkv", "5.1(side)", "-c:a dca -strict -2"),
    channels("TrueHD 5.1", "truehd.mkv", "5.1(side)", "-c:a truehd -strict -2"),
    channels("FLAC 5.1", "flac.mkv", "5.1", "-c:a flac"),
    channels("AAC 7.1", "aac71.mp4", "7.1", "-c:a aac"),
    channels("Opus 7.1", "opus71.mkv", "7.1", "-c:a libopus -mapping_family 1"),
    channels("ALAC", "alac.mp4", "stereo", "-c:a alac"),
    channels("PCM 7.1", "pcm71.mkv", "7.1", "-c:a pcm_s24le"),
  ]

  /// Files without a moving picture.
  static let sounds = [
    heard("mp3", "song.mp3", "-c:a libmp3lame -b:a 128k"),
    ZooFilm(
      name: "mp3 of varying rate without a Xing header", file: "vbr.mp3",
      script: "f $sweep -c:a libmp3lame -q:a 2 -write_xing 0 \"$1\"", frame: 0.1),
    heard("flac", "song.flac", "-c:a flac"),
    heard("wav", "song.wav", "-c:a pcm_s16le"),
    heard("m4a", "song.m4a", "-c:a aac"),
    heard("ogg", "song.ogg", "-c:a libvorbis"),
    heard("opus", "song.opus", "-c:a libopus"),
    heard("raw AAC", "song.aac", "-c:a aac"),
    heard("raw AC-3", "song.ac3", "-c:a ac3"),
    heard("mka", "song.mka", "-c:a aac"),
    ZooFilm(
      name: "mp3 with a cover", file: "cover.mp3",
      script: """
        f $sweep -f lavfi -i testsrc2=s=160x90:d=0.04 -map 0 -map 1 -c:a libmp3lame -c:v mjpeg \
        -frames:v 1 -disposition:v attached_pic "$1"
        """, frame: 0.1),
    ZooFilm(
      name: "wav 7.1", file: "song71.wav",
      script: "f $sweep -af aformat=channel_layouts=7.1 -c:a pcm_s16le \"$1\"", frame: 0.1),
  ]
}
