# cmake -DOUTPUT=FILE -P RxNotices.cmake: the notices of what the programs hold of others, linked into them or built from
# headers, as the Debian packages that it comes from have them.
set(rows
  "libcli11-dev|CLI11"
  "libfmt-dev|fmt"
  "libjemalloc-dev|jemalloc"
  "liblld-19-dev|LLD"
  "llvm-19-dev|LLVM"
  "nlohmann-json3-dev|JSON for Modern C++"
  "libxxhash-dev|xxHash"
  "opencl-c-headers|OpenCL headers")
set(text "relaxscope sees, steps and ships Relax modules.

Its programs hold parts of the works below, linked into them or built from their headers, under the terms that follow.
Libraries that they load are packages of their own, with notices of their own.
")
foreach(row ${rows})
  string(REPLACE "|" ";" row "${row}")
  list(GET row 0 package)
  list(GET row 1 name)
  set(file /usr/share/doc/${package}/copyright)
  if(NOT EXISTS ${file})
    message(FATAL_ERROR "${file}: the notices of ${name} are not there; reinstall ${package} with its documentation")
  endif()
  file(READ ${file} notice)
  string(APPEND text "\n==== ${name}\n\n${notice}")
endforeach()
file(WRITE ${OUTPUT} "${text}")
